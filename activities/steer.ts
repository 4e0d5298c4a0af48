import { ApplicationFailure } from '@temporalio/activity';
import { changedBudget } from '../domain/budget.ts';
import { candidateContent } from '../domain/candidate.ts';
import { parentOf } from '../domain/gate/gate.ts';
import type { Inject, OverrideVerdict, SetBudget } from '../domain/messages.ts';
import type { Phase } from '../domain/phase.ts';
import type { Budget } from '../domain/task/search.ts';
import { beating } from './beat.ts';
import type { ActivityDeps } from './deps.ts';
import { parentFiles } from './parent-files.ts';
import { requirePrice } from './require-runnable.ts';

const refuse = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'Refused');

export const createSteerActivities = ({ store, sha256, ...deps }: ActivityDeps) => ({
  /** Writes phase, reason, window and time under way, for those who read Postgres. */
  recordPhase: async (input: {
    researchId: string;
    phase: Phase;
    reason: string | null;
    window: number;
    activeSeconds: number;
  }): Promise<void> => store.recordPhase(input),

  /** Something a person should see in the status, such as a signal that could not be understood. */
  alert: async (input: { researchId: string; message: string }): Promise<void> => store.insertAlert(input),

  /** Advice that enters the next prompts; the same id twice is one note. */
  addNote: async (input: { id: string; researchId: string; text: string }): Promise<void> => store.insertNote(input),

  /** A person's proposal, run ahead of new ones. Refused where it touches files that may not change. */
  injectProposal: beating(async (input: Inject & { researchId: string; key: string }): Promise<void> => {
    const research = await store.findResearch(input.researchId);
    if (!research) throw refuse(`research ${input.researchId} is not in the database`);
    const version = await store.loadTaskVersion(research.taskHash);
    const outside = Object.keys(input.files).find((path) => !version.mutablePaths.includes(path));
    if (outside !== undefined)
      throw refuse(`files.${outside}: expected one of the mutable files ${version.mutablePaths.join(', ')}`);
    const parentId = parentOf(research.gateConfig, research.gate);
    const files = { ...(await parentFiles(store, { parentId, version })), ...input.files };
    const id = sha256(candidateContent(files, version.immutableHash));
    await store.injectRun({
      researchId: research.id,
      taskHash: research.taskHash,
      key: input.key,
      candidate: { id, immutableHash: version.immutableHash, files },
      parentId,
      hypothesis: input.hypothesis,
    });
  }),

  /** Changes limits of the budget; those that are not named stay. Returns the whole budget as it is now. */
  setBudget: async (input: { researchId: string; budget: SetBudget }): Promise<Budget> => {
    const research = await store.findResearch(input.researchId);
    if (!research) throw refuse(`research ${input.researchId} is not in the database`);
    const { task } = await store.loadTaskVersion(research.taskHash);
    const { usd, trials, counts } = changedBudget(research.budget, input.budget);
    if (trials !== undefined && counts.length === 0)
      throw refuse('counts: expected at least one kind of trials that budget.trials counts, came an empty list');
    requirePrice(deps, { task, proposer: research.proposer, usd });
    return store.changeBudget({ researchId: research.id, change: input.budget });
  },

  /** A person's word against the gate's. */
  overrideVerdict: async (input: OverrideVerdict & { researchId: string }): Promise<void> => {
    const refused = await store.overrideVerdict(input);
    if (refused) throw refuse(refused);
  },
});
