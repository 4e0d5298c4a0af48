import { ApplicationFailure } from '@temporalio/activity';
import { backstopSeconds } from '../../../domain/job/run-limits.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { StoredEnd } from '../../run/collect.ts';
import type { FollowContext } from '../follow-run.ts';

/**
 * Stores an end for a run that a rule had stopped and whose supervisor left none: killed now, or when its host
 * would have ended it in any case, if that is earlier. Throws if a newer attempt follows the run.
 */
export async function storeStoppedEnd({ deps, key, run, limits }: FollowContext, stop: Failure): Promise<void> {
  const { follower, launchedAt } = run;
  const longest = (backstopSeconds(limits) ?? Infinity) + limits.graceSeconds;
  const began = (launchedAt ?? new Date()).getTime();
  const seconds = Math.min((Date.now() - began) / 1000, longest);
  const end: StoredEnd = {
    reason: 'killed',
    exitCode: null,
    signal: null,
    wallSeconds: seconds,
    cpuSeconds: 0,
    maxRssMb: 0,
    outputBytes: 0,
    startedAt: new Date(began).toISOString(),
    endedAt: new Date(began + seconds * 1000).toISOString(),
    containment: 'process-group',
    sandboxed: false,
    treeGone: true,
    missing: [],
    tooLarge: [],
    changed: [],
  };
  const stored =
    (await deps.store.run.saveStop({ ...key, follower, stop })) &&
    (await deps.store.run.saveRunEnd({ ...key, follower, end, logTail: '', seconds, artefacts: [] }));
  if (!stored) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
}
