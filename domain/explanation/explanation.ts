import type { KnobValues } from '../knob/knob-value.ts';
import type { Knob } from '../knob/knob.ts';
import { createRandom } from '../statistics/random.ts';
import { importances, type Importance } from './importance.ts';
import { knobAxis, type KnobAxis } from './knob-axis.ts';
import { sliceOf, type Part } from './slice.ts';

/** Fewest candidates with a value, and with a value of a knob, for an importance. */
export const LEAST_CANDIDATES = 20;
/** Fewest candidates in the top, as Optuna advises. */
const LEAST_TOP = 5;
/** The top is the best tenth, as in Optuna. */
const TOP_SHARE = 0.1;
/** Most lines of the parallel coordinates. */
const LINES = 200;
/** Seed of resamples and shuffles: the same candidates always give the same intervals. */
const SEED = 4301;

/** A candidate with a score. */
export interface Scored {
  knobs: KnobValues;
  /** Mean of its scored runs. */
  value: number;
}

export interface KnobExplanation extends Importance {
  key: string;
  name: string;
  file: string;
  /** Candidates that set the knob to a value in its space. */
  n: number;
  /** Reason why there is no importance; null if there is one. */
  without: 'too few trials' | 'one value only' | null;
  /** Values of the top, as texts: from the lowest to the highest; of a choice, the most frequent one. */
  topValues: { from: string; to: string } | null;
  slice: Part[];
}

/** A candidate of the parallel coordinates: its position on the axis of each knob. */
export interface Line {
  value: number;
  positions: (number | null)[];
  /** The value of each knob, as a text; null without a value in the knob's space. */
  texts: (string | null)[];
  isTop: boolean;
}

export interface Explanation {
  /** Number of the best candidates that count as the top. */
  top: number;
  knobs: KnobExplanation[];
  lines: Line[];
}

/** The influence of knobs on the values of candidates: importances, slices, parallel coordinates. */
export function explain(
  knobs: readonly Knob[],
  { scored, direction }: { scored: readonly Scored[]; direction: 'minimize' | 'maximize' },
): Explanation {
  const ranked = scored.toSorted((a, b) => (direction === 'minimize' ? a.value - b.value : b.value - a.value));
  const size = Math.max(LEAST_TOP, Math.ceil(TOP_SHARE * ranked.length));
  const axes = knobs.map((knob) => {
    const axis = knobAxis(knob);
    const at = Int16Array.from(ranked, (one) => axis.cellOf(one.knobs) ?? -1);
    return { axis, at, ...judged(at, ranked.length) };
  });
  const judgeable = axes.filter(({ without }) => without === null);
  const cost = Float64Array.from(ranked, ({ value }) => (direction === 'minimize' ? value : -value));
  const found =
    judgeable.length === 0
      ? []
      : importances(
          judgeable.map(({ axis, at }) => ({ cells: axis.cells, isOrdered: axis.isOrdered, at })),
          { cost, size },
          createRandom(SEED),
        );
  return {
    top: Math.min(size, ranked.length),
    knobs: axes.map((one) => {
      const { axis, n, without } = one;
      const importance = found[judgeable.indexOf(one)] ?? { share: null, interval: null, chance: 1 };
      const candidates = ranked.map(({ knobs: values, value }) => ({ position: axis.positionOf(values), value }));
      const { name, file } = axis.knob;
      const topValues = topValuesOf(axis, candidates.slice(0, size));
      return { key: axis.key, name, file, n, without, ...importance, topValues, slice: sliceOf(axis, candidates) };
    }),
    lines: linesOf(axes, { ranked, size }),
  };
}

function judged(at: Int16Array, total: number): Pick<KnobExplanation, 'n' | 'without'> {
  const set = at.filter((cell) => cell >= 0);
  if (total < LEAST_CANDIDATES || set.length < LEAST_CANDIDATES) return { n: set.length, without: 'too few trials' };
  return { n: set.length, without: new Set(set).size < 2 ? 'one value only' : null };
}

function topValuesOf(axis: KnobAxis, top: readonly { position: number | null }[]): KnobExplanation['topValues'] {
  const positions = top.flatMap(({ position }) => position ?? []);
  if (positions.length === 0) return null;
  const [from, to] = axis.isOrdered
    ? [Math.min(...positions), Math.max(...positions)]
    : [mode(positions), mode(positions)];
  return { from: axis.textAt(from), to: axis.textAt(to) };
}

function mode(positions: readonly number[]): number {
  const count = (one: number) => positions.filter((other) => other === one).length;
  return positions.reduce((most, one) => (count(one) > count(most) ? one : most), positions[0] ?? 0);
}

/** Candidates at even distances in the order of values, at most 200. */
function linesOf(
  axes: readonly { axis: KnobAxis }[],
  { ranked, size }: { ranked: readonly Scored[]; size: number },
): Line[] {
  const step = Math.max(1, Math.ceil(ranked.length / LINES));
  return ranked.flatMap(({ knobs, value }, rank) => {
    if (rank % step !== 0) return [];
    const positions = axes.map(({ axis }) => axis.positionOf(knobs));
    const texts = positions.map((position, index) =>
      position === null ? null : (axes[index]?.axis.textAt(position) ?? null),
    );
    return [{ value, positions, texts, isTop: rank < size }];
  });
}
