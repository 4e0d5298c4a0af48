import { failedHost } from '../../../domain/fault/attribute.ts';
import { tooSlow, waitMayExplainPace } from '../../../domain/abort/too-slow.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import type { RunLimits } from '../../../domain/job/run-limits.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { Compute, RunRef } from '../../../infra/compute.ts';

/** Pause between two inspections of a run that seems too slow. */
const ASK_SECONDS = 10;

interface Watched {
  compute: Pick<Compute, 'inspect'>;
  task: Pick<Task, 'progress'>;
  limits: Pick<RunLimits, 'wallSeconds'>;
  key: RunRef;
}

/**
 * The hard rule `too-slow`: returns its failure if the run cannot finish its steps within its time limit, else null.
 * The limit does not count the time in which other processes kept the run from a CPU, but the times of points do. So a
 * run that seems too slow is inspected on its host, and is not too slow if such a wait may explain its pace.
 */
export function createSlowness({ compute, task, limits, key }: Watched) {
  const steps = task.progress?.steps;
  const { wallSeconds } = limits;
  const now = (): number => performance.now() / 1000;
  let next = -Infinity;

  return async (points: readonly CurvePoint[]): Promise<Failure | null> => {
    if (steps === undefined || wallSeconds === null || now() < next) return null;
    const message = tooSlow(points, { steps, seconds: wallSeconds });
    if (message === null) return null;
    next = now() + ASK_SECONDS;
    const state = await compute.inspect(key).catch((error: unknown) => {
      if (failedHost(error) === null) throw error;
      return undefined;
    });
    if (state?.state !== 'running') return null;
    return waitMayExplainPace(points, state.waitSeconds ?? 0) ? null : { label: 'too-slow', message };
  };
}
