import type { Effect } from '../../domain/ablation/effect.ts';
import { formatSigned, formatValue } from '../../domain/text/format.ts';

/** The gain of an edit with its interval, or the reason why there is none. Positive: the claim is better with it. */
export function gainText({ gain, interval }: Pick<Effect, 'gain' | 'interval'>): string {
  if (gain === null || interval === null) return 'too few trials';
  return `${formatSigned(gain)} [${formatSigned(interval[0])}, ${formatSigned(interval[1])}]`;
}

/** A mean with the number of its runs. */
export const meanText = (mean: number | null, runs: number): string =>
  mean === null ? '–' : `${formatValue(mean)} (${runs})`;

interface Runs {
  ended: number;
  requested: number;
}

/** Number of runs of an ablation without an outcome. */
export const openRuns = ({ ended, requested, edits }: Runs & { edits: readonly Runs[] }): number =>
  requested - ended + edits.reduce((sum, edit) => sum + edit.requested - edit.ended, 0);
