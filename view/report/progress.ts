import type { Progress } from './period.ts';

interface Measured {
  value: number;
  low: number | null;
  high: number | null;
}

interface Line extends Measured {
  at: string;
  /** False under an earlier metric, whose values do not compare. */
  isCurrent: boolean;
}

interface Input {
  from: Date;
  baseline: Measured | null;
  direction: 'minimize' | 'maximize';
}

/**
 * The way of the best since a time: from the last claim before it, else the baseline, to the last claim. The half width
 * of the difference of two independent means is the root of the sum of their squared half widths. Null without a claim
 * since then.
 */
export function progressOf(lines: readonly Line[], { from, baseline, direction }: Input): Progress | null {
  const first = lines.findIndex(({ at }) => Date.parse(at) >= from.getTime());
  const last = lines.at(-1);
  if (first === -1 || last === undefined) return null;
  const before = first === 0 ? baseline : currentOrNull(lines[first - 1]);
  if (before === null || !last.isCurrent) return { from: null, to: last.value, gain: null, half: null };
  const sign = direction === 'maximize' ? 1 : -1;
  const [own, other] = [halfOf(last), halfOf(before)];
  return {
    from: before.value,
    to: last.value,
    gain: sign * (last.value - before.value),
    half: own === null || other === null ? null : Math.hypot(own, other),
  };
}

const currentOrNull = (line: Line | undefined): Line | null => (line?.isCurrent ? line : null);

const halfOf = ({ low, high }: Measured): number | null => (low === null || high === null ? null : (high - low) / 2);
