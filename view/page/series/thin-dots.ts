import { outcomeIndex, OUTCOMES, type Outcome } from './outcomes.ts';
import type { AxisSeries, Dots } from './place-on-axis.ts';

/**
 * Numbers of dots that stay in a stretch of x: its extremes, rare outcomes, and more, so that dense stretches look
 * dense.
 */
const EACH = { extremes: 2, rare: 3, more: 3 } as const;
const IN_STRETCH = EACH.extremes + EACH.rare + EACH.more;

/** Marks the outcomes of a list, by index. */
const marks = (...listed: Outcome[]): Uint8Array => {
  const marked = new Uint8Array(OUTCOMES.length);
  for (const outcome of listed) marked[outcomeIndex(outcome)] = 1;
  return marked;
};
/** Outcomes whose dots all stay. */
const KEPT = marks('keep', 'confirm', 'absorbed');
const RARE = marks('stopped-early', 'failed', 'cached');

type Columns = Pick<AxisSeries, 'n' | 'x' | 'value' | 'outcome'>;

/**
 * Reduces dots to about `most`, in their order. All dots with the outcomes in KEPT stay. Each stretch of x also keeps
 * its lowest and highest value and one dot of each rare outcome. Keeps all dots if they are few enough, or if `most` is
 * 0.
 */
export function thinDots(columns: Columns, most: number): Dots {
  const { n, x, value, outcome } = columns;
  const stays = most === 0 || n.length <= most ? new Uint8Array(n.length).fill(1) : choose(columns, most);
  const dots: Dots = { n: [], x: [], value: [], outcome: [] };
  for (let index = 0; index < n.length; index += 1) {
    if (stays[index] !== 1) continue;
    const current = value[index] ?? Number.NaN;
    dots.n.push(n[index] ?? 0);
    dots.x.push(x[index] ?? 0);
    dots.value.push(Number.isNaN(current) ? null : current);
    dots.outcome.push(outcome[index] ?? 0);
  }
  return dots;
}

/** Marks the dots that stay. */
function choose(columns: Columns, most: number): Uint8Array {
  const { n, x, outcome } = columns;
  const stays = new Uint8Array(n.length);
  let kept = 0;
  for (let index = 0; index < n.length; index += 1) {
    if (KEPT[outcome[index] ?? 0] !== 1) continue;
    stays[index] = 1;
    kept += 1;
  }
  const [first = 0, last = 0] = [x[0], x.at(-1)];
  const stretches = Math.max(1, Math.floor((most - kept) / IN_STRETCH));
  const width = (last - first) / stretches || 1;
  const stretchOf = (index: number): number => Math.min(stretches - 1, Math.floor(((x[index] ?? 0) - first) / width));
  for (let start = 0; start < n.length;) {
    const stretch = stretchOf(start);
    let end = start + 1;
    while (end < n.length && stretchOf(end) === stretch) end += 1;
    markStretch(columns, { start, end }, stays);
    start = end;
  }
  return stays;
}

/** Marks the dots that stay in the stretch from `start` to before `end`. */
function markStretch(
  { value, outcome }: Columns,
  { start, end }: { start: number; end: number },
  stays: Uint8Array,
): void {
  let [low, high] = [-1, -1];
  let seen = 0;
  for (let index = start; index < end; index += 1) {
    const kind = outcome[index] ?? 0;
    if (RARE[kind] === 1 && (seen & (1 << kind)) === 0) {
      seen |= 1 << kind;
      stays[index] = 1;
    }
    const current = value[index] ?? Number.NaN;
    if (Number.isNaN(current)) continue;
    if (low < 0 || current < (value[low] ?? 0)) low = index;
    if (high < 0 || current > (value[high] ?? 0)) high = index;
  }
  if (low >= 0) stays[low] = stays[high] = 1;
  for (let i = 0; i < EACH.more; i += 1) stays[start + Math.floor(((i + 0.5) * (end - start)) / EACH.more)] = 1;
}
