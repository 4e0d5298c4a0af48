import { ApplicationFailure } from '@temporalio/activity';
import { budgetChanges } from '../domain/research/budget-changes.ts';
import { senderField, type Sender, type Senders } from '../domain/messages/sender.ts';
import { changedBudget } from '../domain/research/budget.ts';
import type { AblateArgs, AblateResult, Inject, InjectResult, OverrideVerdict, SetBudget } from '../domain/messages.ts';
import type { Phase } from '../domain/research/phase.ts';
import { choiceIn } from '../domain/search/proposer/makers.ts';
import type { Budget } from '../domain/schema/budget.ts';
import type { Store } from '../db/store.ts';
import { gateEvents } from '../domain/event/gate-events.ts';
import { BY_PERSON, override } from '../domain/gate/claim/override.ts';
import { isOutsideSearch } from '../domain/trial.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { requestAblation } from './research/ablate.ts';
import { injectProposal } from './research/inject-proposal.ts';
import { renewRawBest } from './research/renew-raw-best.ts';
import { requirePrice } from './task/require-runnable.ts';
import { findIncomparableReason } from './outcome/find-incomparable-reason.ts';
import { storeAdvance } from './outcome/store-advance.ts';

/** Sender of a message; absent if the message names none. */
interface Sent {
  sender?: Sender;
}

/** Advice for the next prompts. */
export interface NewNote extends Sent {
  id: string;
  text: string;
}

const refuse = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'Refused');

export const createSteerActivities = ({ store, ...deps }: ActivityDeps) => ({
  /** Stores phase, reason, window and active time for surfaces that read Postgres. */
  recordPhase: async (input: {
    researchId: string;
    phase: Phase;
    reason: string | null;
    window: number;
    activeSeconds: number;
    /** Senders of the messages that changed phase or window; absent: no message, or its sender is unknown. */
    senders?: Senders;
  }): Promise<void> => store.research.recordPhase(input),

  /** Stores a message for people, shown in the status; for example about a signal that could not be parsed. */
  alert: async (input: { researchId: string; message: string }): Promise<void> => {
    await store.research.insertAlert(input);
  },

  /** Stores notes for the next prompts, oldest first. A repeated id is stored once. */
  addNotes: wrapInHeartbeat(async (input: { researchId: string; notes: readonly NewNote[] }): Promise<void> => {
    for (const note of input.notes) await store.research.insertNote({ ...note, researchId: input.researchId });
  }),

  /**
   * Queues people's proposals ahead of new ones. Returns the reasons for refused ones, for example one that changes
   * immutable files.
   */
  injectProposals: wrapInHeartbeat(
    async (input: {
      researchId: string;
      proposals: readonly (Inject & Sent & { key: string; altered?: boolean })[];
    }): Promise<string[]> => {
      const refused: string[] = [];
      for (const proposal of input.proposals) {
        const refusal = await injectProposal(
          { store, machine: deps.machine },
          { ...proposal, researchId: input.researchId },
        );
        // The reasons for a hundred proposals must fit into one result.
        if (refusal !== null) refused.push(refusal.slice(0, 1000));
      }
      return refused;
    },
  ),

  /** Queues a person's proposal ahead of new ones, once per key. Throws the reason of a refusal. */
  injectOnce: wrapInHeartbeat(
    async (input: Inject & Sent & { researchId: string; key: string; altered: boolean }): Promise<InjectResult> => {
      const refusal = await injectProposal({ store, machine: deps.machine }, input);
      if (refusal !== null) throw refuse(refusal.slice(0, 1000));
      return { key: input.key };
    },
  ),

  /** Changes the named limits of the budget. Returns the whole budget. */
  setBudget: async (input: Sent & { researchId: string; budget: SetBudget }): Promise<Budget> => {
    const research = await store.research.findResearch(input.researchId);
    if (!research) throw refuse(`research ${input.researchId} is not in the database`);
    const { task } = await store.task.loadTaskVersion(research.taskHash);
    const { usd, trials, counts } = changedBudget(research.budget, input.budget);
    if (trials !== undefined && counts.length === 0)
      throw refuse('counts: expected at least one kind of trials that budget.trials counts, got an empty list');
    if (input.budget.usd !== undefined) requirePrice(deps, { task, proposer: choiceIn(research), usd });
    return changeBudget(store, { researchId: research.id, change: input.budget, ...senderField(input.sender) });
  },

  /** Queues the runs of an ablation, once per key. */
  ablate: async (input: AblateArgs & Sent & { researchId: string; key: string }): Promise<AblateResult> => {
    const result = await requestAblation({ store, machine: deps.machine }, input);
    if ('refused' in result) throw refuse(result.refused);
    return result;
  },

  /** Replaces the gate's verdict on a trial by a person's. */
  overrideVerdict: async (input: OverrideVerdict & Sent & { researchId: string }): Promise<void> => {
    const refused = await overrideVerdict(store, input);
    if (refused) throw refuse(refused);
  },
});

/** Replaces the gate's verdict on a trial by a person's. Returns the reason of a refusal; undefined if it is done. */
export const overrideVerdict = (
  { withResearch }: Pick<Store, 'withResearch'>,
  { researchId, n, verdict, reason: words, sender }: OverrideVerdict & Sent & { researchId: string },
): Promise<string | undefined> =>
  withResearch(researchId, async (tx, research) => {
    const trial = await tx.trial.findTrialByNumber({ researchId, n });
    if (!trial) return `n: expected a trial of this research, got ${n}`;
    if (trial.status !== 'completed' || trial.value === null || !trial.candidateId)
      return `n: expected a completed trial, trial ${n} is ${trial.status ?? 'still running'}`;
    if (isOutsideSearch(trial))
      return `n: expected a trial of the search, trial ${n} is of kind ${trial.kind}, which gets no verdict`;
    if (verdict === 'keep' && trial.reusedFrom !== null)
      return `n: expected a trial that ran in this research, the value of trial ${n} is that of ${trial.reusedFrom}`;
    const incomparableReason = await findIncomparableReason(tx, research, trial);
    if (incomparableReason !== null)
      return `n: expected a trial of the task as it is now, trial ${n} is not: ${incomparableReason}`;
    const { candidateId, value } = trial;
    const result = override(research.gateConfig, research.gate, { verdict, n, candidateId, value });
    if ('refused' in result) return result.refused;
    const reason = `${BY_PERSON}${words}`;
    const rulings = result.rulings.filter((ruling) => ruling.n !== n);
    await storeAdvance(tx, research, { ...result, rulings, claimed: null });
    await tx.trial.writeRuling({ researchId, n, verdict, reason });
    await renewRawBest(tx, research, result.state);
    // A proposer must not learn from it.
    if (verdict === 'discard') await tx.trial.revokeReward({ trial, reason });
    const overridden = { ...result, rulings: [...rulings, { n, verdict, reason }] };
    const data = { from: trial.verdict, verdict, reason: words, ...senderField(sender) };
    await tx.event.insertEvents([
      { kind: 'overruled', researchId, n, data },
      ...gateEvents(research.gate, overridden, { researchId, by: 'person', reason }),
    ]);
    if (result.claimed) {
      // If a claim is taken back, the new claim is about another trial, so its reason names the overridden trial.
      const why = verdict === 'keep' ? reason : `trial ${n} was ${reason}`;
      await tx.research.insertClaim({ researchId, ...result.claimed, reason: why, by: 'person' });
    }
    return undefined;
  });

/**
 * Changes the named limits of a budget under the research's row lock, so that none of two simultaneous changes is lost.
 */
export const changeBudget = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: Sent & { researchId: string; change: SetBudget },
): Promise<Budget> =>
  withResearch(input.researchId, async (tx, research) => {
    const budget = changedBudget(research.budget, input.change);
    await tx.research.updateResearch(research.id, { budget });
    const changes = budgetChanges(research.budget, budget);
    const data = { changes, ...senderField(input.sender) };
    if (changes.length > 0) await tx.event.insertEvents([{ kind: 'budget-changed', researchId: research.id, data }]);
    return budget;
  });
