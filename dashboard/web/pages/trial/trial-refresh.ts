import type { Trial } from '../../../api/trials/trial.ts';
import type { RefreshOptions } from '../../data/use-resource.ts';

/** How often a trial under way is read; in milliseconds. */
export const LIVE_MS = 2000;

/** No research has this name: what is settled is read anew only after the connection was lost. */
const SETTLED: RefreshOptions = { research: '' };

/** When something of a trial is read anew: while it is under way, its own texts and curve grow; after that they stay. */
export function trialRefresh(
  { research, status }: Pick<Trial, 'research' | 'status'>,
  changesAfter = false,
): RefreshOptions {
  if (status === null) return { research, everyMs: LIVE_MS };
  return changesAfter ? { research } : SETTLED;
}
