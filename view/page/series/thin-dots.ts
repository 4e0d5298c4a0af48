import type { Dots } from './place-on-axis.ts';
import { outcomeIndex } from './outcomes.ts';

/**
 * Numbers of dots that stay in a stretch of x: its extremes, rare outcomes, and more, so that dense stretches look
 * dense.
 */
const EACH = { extremes: 2, rare: 3, more: 3 } as const;
const IN_STRETCH = EACH.extremes + EACH.rare + EACH.more;

/** Outcomes whose dots all stay. */
const KEPT = (['keep', 'confirm', 'absorbed'] as const).map(outcomeIndex);
const RARE = (['stopped-early', 'failed', 'cached'] as const).map(outcomeIndex);

/**
 * Reduces dots to about `most`, in their order. All dots with the outcomes in KEPT stay. Each stretch of x also keeps
 * its lowest and highest value and one dot of each rare outcome. Returns the dots unchanged if they are few enough, or
 * if `most` is 0.
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
  for (let start = 0; start < dots.n.length;) {
    let end = start + 1;
    while (end < dots.n.length && stretchOf(end) === stretchOf(start)) end += 1;
    for (const index of chosen(dots, start, end)) kept.add(index);
    start = end;
  }
  const order = [...kept].sort((a, b) => a - b);
  const column = <T>(values: readonly T[]): T[] => order.map((index) => values[index] as T);
  return { n: column(dots.n), x: column(dots.x), value: column(dots.value), outcome: column(dots.outcome) };
}

/** Indices of the dots that stay in the stretch from `start` to before `end`. */
function chosen({ value, outcome }: Dots, start: number, end: number): number[] {
  let [low, high] = [-1, -1];
  const rare = new Map<number, number>();
  for (let index = start; index < end; index += 1) {
    const current = value[index] ?? null;
    const kind = outcome[index] ?? 0;
    if (RARE.includes(kind) && !rare.has(kind)) rare.set(kind, index);
    if (current === null) continue;
    if (low < 0 || current < (value[low] ?? 0)) low = index;
    if (high < 0 || current > (value[high] ?? 0)) high = index;
  }
  const more = Array.from({ length: EACH.more }, (_, i) => start + Math.floor(((i + 0.5) * (end - start)) / EACH.more));
  return [...rare.values(), ...more, ...[low, high].filter((index) => index >= 0)];
}
