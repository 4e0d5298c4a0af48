import { ApplicationFailure } from '@temporalio/activity';
import { changedBudget } from '../domain/research/budget.ts';
import type { Inject, OverrideVerdict, SetBudget } from '../domain/messages.ts';
import type { Phase } from '../domain/research/phase.ts';
import { choiceIn } from '../domain/search/proposer/makers.ts';
import type { Budget } from '../domain/task/schema/budget.ts';
import { beating } from './beat.ts';
import type { ActivityDeps } from './deps.ts';
import { injectInto } from './research/inject-into.ts';
import { changeBudget } from './research/change/change-budget.ts';
import { overrideVerdict } from './research/override-verdict.ts';
import { requirePrice } from './task/require-runnable.ts';

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
  addNotes: beating(
    async (input: { researchId: string; notes: readonly { id: string; text: string }[] }): Promise<void> => {
      for (const note of input.notes) await store.research.insertNote({ ...note, researchId: input.researchId });
    },
  ),

  /** People's proposals, run ahead of new ones. Returns why some are refused, such as one that touches files that may not change. */
  injectProposals: beating(
    async (input: {
      researchId: string;
      proposals: readonly (Inject & { key: string; altered?: boolean })[];
    }): Promise<string[]> => {
      const refused: string[] = [];
      for (const proposal of input.proposals) {
        const refusal = await injectInto(
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
