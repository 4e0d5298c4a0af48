import { formatAgo, formatSeconds, unitText } from '../../../domain/text/format.ts';
import { formatSigned, formatValue } from './numbers.ts';
import { plural } from '../../../domain/text/plural.ts';
import { useNow } from '../data/use-now.ts';
import { momentText } from './zone.ts';

/** A measured value with its unit, as precise as its noise allows; `–` if there is none. */
export const valueText = (
  value: number | null | undefined,
  { sd, unit }: { sd?: number | null; unit?: string | null } = {},
) => `${formatValue(value, sd)}${value === null || value === undefined ? '' : unitText(unit)}`;

interface Interval {
  value: number;
  low?: number | null;
  high?: number | null;
}

/** Half the width of the 95 % interval; null if there is none, or it is not finite. */
export const halfWidth = ({ low, high }: Interval): number | null =>
  low === null || high === null || low === undefined || high === undefined || !Number.isFinite(high - low)
    ? null
    : (high - low) / 2;

/** Describes the interval that a page shows beside a mean, or why it shows none. */
export function intervalNote(measured: Interval & { sd?: number | null }): string {
  if (halfWidth(measured) !== null) return '± 95 % interval';
  return measured.sd === 0 ? 'no interval, since no run varied' : 'no interval yet';
}

/** A mean with half of its 95 % interval, such as `3.214 ± 0.012`. */
export function meanText(measured: Interval, sd?: number | null): string {
  const half = halfWidth(measured);
  if (half === null) return formatValue(measured.value, sd);
  const noise = half > 0 ? half : sd;
  return `${formatValue(measured.value, noise)} ± ${formatValue(half, noise)}`;
}

/** A mean with half of its 95 % interval and its number of runs, such as `3.214 ± 0.012 (6 runs)`. */
export const meanWithRuns = (measured: Measured, sd?: number | null): string =>
  `${meanText(measured, sd)} (${plural(measured.n, 'run')})`;

/**
 * The value of a claim. If runs were added since: `when claimed 3.19 ± 0.02 (6 runs), now 3.21 ± 0.01 (10 runs)`.
 */
export function claimText(claim: Claimed, sd?: number | null): string {
  const then = valueWhenClaimed(claim, sd);
  return then === null ? meanWithRuns(claim, sd) : `${then}, now ${meanWithRuns(claim, sd)}`;
}

/** The value that a claim had when it was made; null if that is its value still. */
export function valueWhenClaimed({ made, value, n }: Claimed, sd?: number | null): string | null {
  return made.n === n && made.value === value ? null : `when claimed ${meanWithRuns(made, sd)}`;
}

type Measured = Interval & { n: number };
type Claimed = Measured & { made: Measured };

/** A gain with its interval, such as `+0.12 (0.08 to 0.16)`; positive is better. */
export function gainText(gain: Interval, sd?: number | null): string {
  const { value, low = null, high = null } = gain;
  const noise = halfWidth(gain) || sd;
  const text = formatSigned(value, noise);
  return low === null || high === null || low === high
    ? text
    : `${text} (${formatSigned(low, noise)} to ${formatSigned(high, noise)})`;
}

/** The direction in which a metric improves, in words. */
export const betterDirectionLabel = (direction: 'minimize' | 'maximize'): string =>
  direction === 'minimize' ? 'lower is better' : 'higher is better';

/** Time since a moment, updated as it passes. */
export function TimeAgo({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span>–</span>;
  return (
    <time dateTime={at} title={momentText(at)}>
      {formatAgo(new Date(at), now)}
    </time>
  );
}

/** Duration since a moment, updated as it passes. `brief`: in one unit. */
export function ElapsedTime({ since, brief = false }: { since: string; brief?: boolean }) {
  const now = useNow();
  const seconds = Math.max(1, (now.getTime() - Date.parse(since)) / 1000);
  const text = formatSeconds(Math.round(seconds)).replace(/\.0 s$/, ' s');
  return <time title={momentText(since)}>{brief ? text.split(' ').slice(0, 2).join(' ') : text}</time>;
}
