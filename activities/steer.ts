import { ApplicationFailure } from '@temporalio/activity';
import { changedBudget } from '../domain/research/budget.ts';
import type { Inject, OverrideVerdict, SetBudget } from '../domain/messages.ts';
import type { Phase } from '../domain/research/phase.ts';
import { choiceIn } from '../domain/search/proposer/makers.ts';
import type { Budget } from '../domain/schema/budget.ts';
import type { Store } from '../db/store.ts';
import { gateEvents } from '../domain/event/gate-events.ts';
import { override } from '../domain/gate/claim/override.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { injectProposal } from './research/inject-proposal.ts';
import { requirePrice } from './task/require-runnable.ts';
import { findIncomparableReason } from './outcome/find-incomparable-reason.ts';
import { storeAdvance } from './outcome/store-advance.ts';

const refuse = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'Refused');

export const createSteerActivities = ({ store, ...deps }: ActivityDeps) => ({
  /** Writes phase, reason, window and time under way, for those who read Postgres. */
  recordPhase: async (input: {
    researchId: string;
    phase: Phase;
    reason: string | null;
    window: number;
    activeSeconds: number;
  }): Promise<void> => store.research.recordPhase(input),

  /** Something a person should see in the status, such as a signal that could not be understood. */
  alert: async (input: { researchId: string; message: string }): Promise<void> => {
    await store.research.insertAlert(input);
  },

  /** Advice that enters the next prompts, oldest first; the same id twice is one note. */
  addNotes: wrapInHeartbeat(
    async (input: { researchId: string; notes: readonly { id: string; text: string }[] }): Promise<void> => {
      for (const note of input.notes) await store.research.insertNote({ ...note, researchId: input.researchId });
    },
  ),

  /** People's proposals, run ahead of new ones. Returns why some are refused, such as one that touches files that may not change. */
  injectProposals: wrapInHeartbeat(
    async (input: {
      researchId: string;
      proposals: readonly (Inject & { key: string; altered?: boolean })[];
    }): Promise<string[]> => {
      const refused: string[] = [];
      for (const proposal of input.proposals) {
        const refusal = await injectProposal(
          { store, machine: deps.machine },
          { ...proposal, researchId: input.researchId },
        );
        // A hundred must fit into one answer.
        if (refusal !== null) refused.push(refusal.slice(0, 1000));
      }
      return refused;
    },
  ),

  /** Changes limits of the budget; those that are not named stay. Returns the whole budget as it is now. */
  setBudget: async (input: { researchId: string; budget: SetBudget }): Promise<Budget> => {
    const research = await store.research.findResearch(input.researchId);
    if (!research) throw refuse(`research ${input.researchId} is not in the database`);
    const { task } = await store.task.loadTaskVersion(research.taskHash);
    const { usd, trials, counts } = changedBudget(research.budget, input.budget);
    if (trials !== undefined && counts.length === 0)
      throw refuse('counts: expected at least one kind of trials that budget.trials counts, came an empty list');
    requirePrice(deps, { task, proposer: choiceIn(research), usd });
    return changeBudget(store, { researchId: research.id, change: input.budget });
  },

  /** A person's word against the gate's. */
  overrideVerdict: async (input: OverrideVerdict & { researchId: string }): Promise<void> => {
    const refused = await overrideVerdict(store, input);
    if (refused) throw refuse(refused);
  },
});

/** A person's word against the gate's. Undefined when done, else why not. */
export const overrideVerdict = (
  { withResearch }: Pick<Store, 'withResearch'>,
  { researchId, n, verdict, reason: words }: OverrideVerdict & { researchId: string },
): Promise<string | undefined> =>
  withResearch(researchId, async (tx, research) => {
    const trial = await tx.trial.findTrialByNumber({ researchId, n });
    if (!trial) return `n: expected a trial of this research, got ${n}`;
    if (trial.status !== 'completed' || trial.value === null || !trial.candidateId)
      return `n: expected a completed trial, trial ${n} is ${trial.status ?? 'still running'}`;
    const apart = await findIncomparableReason(tx, research, trial);
    if (apart !== null) return `n: expected a trial of the task as it is now, trial ${n} is not: ${apart}`;
    const { candidateId, value } = trial;
    const result = override(research.gateConfig, research.gate, { verdict, n, candidateId, value });
    if ('refused' in result) return result.refused;
    const reason = `overridden by a person: ${words}`;
    const rulings = result.rulings.filter((ruling) => ruling.n !== n);
    await storeAdvance(tx, research, { ...result, rulings, claimed: null });
    await tx.trial.writeRuling({ researchId, n, verdict, reason });
    // A proposer must not learn from it.
    if (verdict === 'discard') await tx.trial.revokeReward({ trial, reason });
    const told = { ...result, rulings: [...rulings, { n, verdict, reason }] };
    await tx.event.insertEvents(gateEvents(research.gate, told, { researchId, by: 'person', reason }));
    if (result.claimed) {
      // A claim that is taken back leaves one in its place, of which the words would be untrue.
      const why = verdict === 'keep' ? reason : `trial ${n} was ${reason}`;
      await tx.research.insertClaim({ researchId, ...result.claimed, reason: why, by: 'person' });
    }
    return undefined;
  });

/** Changes the named limits of a budget under the research's row lock: of two changes at once neither is lost. */
export const changeBudget = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: { researchId: string; change: SetBudget },
): Promise<Budget> =>
  withResearch(input.researchId, async (tx, research) => {
    const budget = changedBudget(research.budget, input.change);
    await tx.research.updateResearch(research.id, { budget });
    return budget;
  });
