import { createFollower } from '../../../../activities/monitor/follow/follower.ts';
import type { Progress, Run } from '../../../../db/run/run.ts';
import type { Store } from '../../../../db/store.ts';
import type { CurvePoint } from '../../../../domain/abort/types.ts';
import { Progress as ProgressOf } from '../../../../domain/schema/metric.ts';
import type { Task } from '../../../../domain/task/task.ts';
import { withinTime } from '../../../../infra/within-time.ts';

const LAUNCHED = Date.UTC(2026, 10, 1);
/** The time so many seconds after the launch of every run here. */
export const at = (seconds: number): Date => new Date(LAUNCHED + seconds * 1000);

export interface Opened {
  seconds?: number;
  run?: object;
  curve?: CurvePoint[] | null;
  stallSeconds?: number;
}

/** A follower of a run with a budget of wall clock, and its commits. */
export function openFollower({ seconds = 60, run = {}, curve = [], stallSeconds }: Opened) {
  const saved: Progress[] = [];
  const store = {
    run: { saveProgress: (progress: Progress) => Promise.resolve(saved.push(progress) > 0) },
  };
  const follower = createFollower({
    store: store as unknown as Store,
    withinTime,
    key: { jobId: 'a/1', placement: 0 },
    run: { logOffset: 0, reader: null, launchedAt: at(0), follower: 1, ...run } as Run,
    task: {
      progress: ProgressOf.parse({ pattern: '^(?<step>\\d+) (?<value>\\S+)', stallSeconds }),
      run: { budget: { seconds } },
    } as Task,
    curve,
  });
  return { follower, saved };
}
