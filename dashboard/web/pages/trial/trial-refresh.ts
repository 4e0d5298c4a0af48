import type { Trial } from '../../../api/trials/trial.ts';
import type { RefreshOptions } from '../../data/use-resource.ts';

/** Interval of reads of a trial under way. */
export const LIVE_MS = 2000;

/** Options of data that no longer change. No research has an empty id, so only a new connection causes a read. */
export const SETTLED: RefreshOptions = { research: '' };

/**
 * Refresh options of a trial's data. The data grow while the trial is under way, and then stay as they are.
 * `changesAfter`: true for data that other trials change later.
 */
export function trialRefresh(
  { research, status }: Pick<Trial, 'research' | 'status'>,
  changesAfter = false,
): RefreshOptions {
  if (status === null) return { research, everyMs: LIVE_MS };
  return changesAfter ? { research } : SETTLED;
}
