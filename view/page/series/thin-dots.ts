import type { Dots } from './place-on-axis.ts';
import { outcomeIndex } from './outcomes.ts';

/** Dots of a stretch: its extremes, one of each rare outcome, and some more so that it looks as dense as it is. */
const EACH = { extremes: 2, rare: 3, more: 3 } as const;
const IN_STRETCH = EACH.extremes + EACH.rare + EACH.more;

/** Outcomes of which no dot is left out. */
const KEPT = (['keep', 'confirm', 'absorbed'] as const).map(outcomeIndex);
const RARE = (['stopped-early', 'failed', 'cached'] as const).map(outcomeIndex);

/**
 * About so many of the dots, in their order: all that were kept or are to be confirmed, and of each stretch of x its lowest and
 * highest value and one of each rare outcome. The rows stay as they are where there are no more than that.
 */
export function thinDots(dots: Dots, most: number): Dots {
  if (most === 0 || dots.n.length <= most) return dots;
  const kept = new Set<number>();
  dots.outcome.forEach((outcome, index) => {
    if (KEPT.includes(outcome)) kept.add(index);
  });
  const [first = 0, last = 0] = [dots.x[0], dots.x.at(-1)];
  const stretches = Math.max(1, Math.floor((most - kept.size) / IN_STRETCH));
  const width = (last - first) / stretches || 1;
  const stretchOf = (index: number): number =>
    Math.min(stretches - 1, Math.floor(((dots.x[index] ?? 0) - first) / width));
  for (let from = 0; from < dots.n.length;) {
    let to = from + 1;
    while (to < dots.n.length && stretchOf(to) === stretchOf(from)) to += 1;
    for (const index of chosen(dots, from, to)) kept.add(index);
    from = to;
  }
  const order = [...kept].sort((a, b) => a - b);
  const column = <T>(values: readonly T[]): T[] => order.map((index) => values[index] as T);
  return { n: column(dots.n), x: column(dots.x), value: column(dots.value), outcome: column(dots.outcome) };
}

/** Indices of the dots that stand for a stretch. */
function chosen({ value, outcome }: Dots, from: number, to: number): number[] {
  let [low, high] = [-1, -1];
  const rare = new Map<number, number>();
  for (let index = from; index < to; index += 1) {
    const one = value[index] ?? null;
    const kind = outcome[index] ?? 0;
    if (RARE.includes(kind) && !rare.has(kind)) rare.set(kind, index);
    if (one === null) continue;
    if (low < 0 || one < (value[low] ?? 0)) low = index;
    if (high < 0 || one > (value[high] ?? 0)) high = index;
  }
  const more = Array.from({ length: EACH.more }, (_, i) => from + Math.floor(((i + 0.5) * (to - from)) / EACH.more));
  return [...rare.values(), ...more, ...[low, high].filter((index) => index >= 0)];
}
