import type { ResearchArgs } from '../../domain/messages.ts';
import { PROPOSER_OF_ATTACKS } from '../../domain/search/proposer/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ActivityDeps } from '../deps.ts';
import { requireSandbox } from '../task/require-runnable.ts';
import { sandboxOf } from '../task/sandbox-of.ts';

/** Kind of a research that a command starts for its own result. */
export type Check = NonNullable<ResearchArgs['check']>;

/** True for a research that runs only the unmodified workspace and injected versions. */
export const proposesNothing = (check: Check = false): boolean => check === true || check === 'attack';

/** The proposer of a research of attacks, which treats every candidate as unreviewed code. */
export async function authorOfAttacks(deps: ActivityDeps, task: Task, researchId: string): Promise<string> {
  const proposer = PROPOSER_OF_ATTACKS;
  await requireSandbox(deps, task, await sandboxOf(deps.store, task, { proposer, researchId, candidateId: null }));
  return proposer;
}
