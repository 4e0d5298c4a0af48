import { type RunLimits, runLimits } from '../../domain/job/run-limits.ts';
import type { Task } from '../../domain/task/task.ts';
import { isTrialId } from '../../domain/trial/ids.ts';
import { shapeOf } from '../../domain/job/shape-of.ts';
import type { RunSpec } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';
import { agentSpec } from '../run/agent-spec.ts';
import { commandSpec, jobLimits, type Placement, runSpecOf } from '../run/run-spec.ts';

/** Facts of a job, a trial or a command, that a launch needs. */
export interface LaunchableJob {
  pool: string;
  taskHash: string;
  /** The last placement that was begun; 0 before the first. */
  placement: number;
  /** End of the job, in a word; null while the job is open. */
  ended: string | null;
  /** True if a note is stored that the job waits for something on the slot that it holds. */
  waits: boolean;
  /** Hard limits of its runs. */
  limitsOf: (task: Task) => Pick<RunLimits, 'diskMb'>;
  specOf: (placement: Placement) => Promise<RunSpec>;
}

/**
 * Reads the facts of a job that a launch needs. Throws if there is no such job; UnknownMethod if a newer version opened
 * it.
 */
export const loadLaunchableJob = (deps: ActivityDeps, id: string): Promise<LaunchableJob> =>
  isTrialId(id) ? ofTrial(deps, id) : ofCommand(deps, id);

async function ofTrial(deps: ActivityDeps, id: string): Promise<LaunchableJob> {
  const { trial, research } = await deps.store.trial.loadTrialAndResearch(id);
  const { pool, taskHash, placement, status, waitsFor } = trial;
  return {
    pool,
    taskHash,
    placement,
    ended: status,
    waits: waitsFor !== null,
    limitsOf: runLimits,
    specOf: (placed) => runSpecOf(deps, { ...placed, trial, research }),
  };
}

async function ofCommand(deps: ActivityDeps, id: string): Promise<LaunchableJob> {
  const { job, placement } = await deps.store.job.loadJob(id);
  const { pool, taskHash, spec, endedAt, waitsFor } = job;
  const { command, agent } = shapeOf(spec);
  if (taskHash === null || (command === null && agent === null))
    throw new Error(`Expected job ${id} to be a command or an agent in the workspace of a task, got ${spec.shape}`);
  return {
    pool,
    taskHash,
    placement,
    ended: endedAt && 'it was closed',
    waits: waitsFor !== null,
    limitsOf: (task) => jobLimits(task, spec),
    specOf: (placed) =>
      agent
        ? agentSpec(deps, { ...placed, id, agent })
        : commandSpec(deps, { ...placed, id, command: command ?? '', spec }),
  };
}
