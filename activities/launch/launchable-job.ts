import { isTrialId } from '../../domain/trial/ids.ts';
import { shapeOf } from '../../domain/job/shape-of.ts';
import type { RunSpec } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';
import { commandSpec, type Placement, runSpecOf } from '../run/run-spec.ts';

/** Facts of a job, a trial or another one, that a launch goes by. */
export interface LaunchableJob {
  pool: string;
  taskHash: string;
  /** The last one that was begun; 0 before. */
  placement: number;
  /** How it ended, in a word; null while it is under way. */
  ended: string | null;
  /** It is noted that it waits for something on the slot that it holds. */
  waits: boolean;
  specOf: (on: Placement) => Promise<RunSpec>;
}

/** Reads a job as a launch needs it; throws where there is none, and UnknownMethod where a newer version opened it. */
export const loadLaunchableJob = (deps: ActivityDeps, id: string): Promise<LaunchableJob> =>
  isTrialId(id) ? ofTrial(deps, id) : ofCommand(deps, id);

async function ofTrial(deps: ActivityDeps, id: string): Promise<LaunchableJob> {
  const { trial, research } = await deps.store.trial.loadTrialAndResearch(id);
  const { pool, taskHash, placement, status, waitsFor } = trial;
  return {
    ...{ pool, taskHash, placement, ended: status, waits: waitsFor !== null },
    specOf: (on) => runSpecOf(deps, { ...on, trial, research }),
  };
}

async function ofCommand(deps: ActivityDeps, id: string): Promise<LaunchableJob> {
  const { job, placement } = await deps.store.job.loadJob(id);
  const { pool, taskHash, spec, endedAt, waitsFor } = job;
  const { command } = shapeOf(spec);
  if (taskHash === null || command === null)
    throw new Error(`Expected job ${id} to be a command in the workspace of a task, came ${JSON.stringify(spec)}`);
  return {
    ...{ pool, taskHash, placement, ended: endedAt && 'it was closed', waits: waitsFor !== null },
    specOf: (on) => commandSpec(deps, { ...on, id, command, spec }),
  };
}
