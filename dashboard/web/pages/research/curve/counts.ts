import type { StatusView } from '../../../../../view/status.ts';
import type { OutcomeCounts } from './curve-layers.ts';

/** Ended trials by the outcomes that dots tell apart. */
export function countsOf({ trials, verdicts }: Pick<StatusView, 'trials' | 'verdicts'>): OutcomeCounts {
  const { byStatus } = trials;
  const ruled = {
    ...{ keep: verdicts.keep, confirm: verdicts.confirm, discard: verdicts.discard, absorbed: verdicts.absorbed },
  };
  const failed = byStatus.crashed + byStatus.timed_out + byStatus.diverged + byStatus.rejected + byStatus.lost;
  const others = { 'stopped-early': byStatus.aborted, failed, cached: byStatus.cached };
  const told = [...Object.values(ruled), ...Object.values(others)].reduce((sum, count) => sum + count, 0);
  return { ...ruled, ...others, scored: Math.max(0, trials.ended - told) };
}
