import type { ReplayCurve } from '../../domain/abort/replay/types.ts';
import { createRandom, type Random } from '../../domain/statistics/random.ts';

const POINTS = 60;

/** Families of curves whose truth is known; finals have a mean of about 3.3 and a standard deviation of .02. */
export const FAMILIES = [
  'power law',
  'late drop',
  'crossing',
  'heavy noise',
  'AR(1) .5',
  'AR(1) .9',
  'AR(1) .99',
  'drift',
  'outliers',
] as const;
/** Families in which runs differ by more than a shift: their early values mislead about some of the winners. */
export const HARDER_FAMILIES = ['varied law', 'late starters', 'late winners', 'uneven winners'] as const;
export type Family = (typeof FAMILIES)[number] | (typeof HARDER_FAMILIES)[number];

/** Improvement of the finals from the first run to the last, in the family "drift". */
const DRIFT = 0.06;
/** In the family "outliers", one run in this many prints another unit: its values are `ODD_UNIT` times as large. */
const ODD_EVERY = 50;
const ODD_UNIT = 10;

/** `n` runs of a family, in their order. Every run is a group of its own. */
export function family(name: Family, n: number, seed: number): ReplayCurve[] {
  const random = createRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const better = name === 'drift' ? (DRIFT * i) / n : 0;
    const isLate = name === 'late winners' && random.uniform() < 0.05;
    const final = 3.3 - better - (isLate ? 0.04 : 0) + 0.02 * random.normal();
    const unit = name === 'outliers' && i % ODD_EVERY === ODD_EVERY - 1 ? ODD_UNIT : 1;
    const noise = noiseOf(name, random);
    const shape = shapeOf(name, { final, isLate, random });
    const points = Array.from({ length: POINTS }, (_unused, k) => {
      const step = k + 1;
      return { step, elapsed: step, value: unit * (shape(step / POINTS) + noise()) };
    });
    return { group: `${name} ${i}`, points, budget: { kind: 'steps', total: POINTS }, final };
  });
}

/** The curve without noise, by the share of the budget; it ends at the final. */
function shapeOf(
  name: Family,
  { final, isLate, random }: { final: number; isLate: boolean; random: Random },
): (share: number) => number {
  const law = (share: number): number => 0.8 * (share ** -0.4 - 1);
  /** The power law with a lag that shrinks to 0 at 60 % of the budget. */
  const behind = (lag: number) => (share: number) => final + law(share) + lag * Math.max(0, 1 - share / 0.6);
  switch (name) {
    case 'varied law': {
      const [a, b] = [0.8 * Math.exp(0.1 * random.normal()), 0.4 * Math.exp(0.05 * random.normal())];
      return (share) => final + a * (share ** -b - 1);
    }
    case 'late starters':
      // A tenth of the runs start late and end like the others.
      return behind(random.uniform() < 0.1 ? 0.3 : 0);
    case 'late winners':
      return behind(isLate ? 0.2 : 0);
    case 'uneven winners': {
      // The best sixth differ more from each other than the rest.
      const off = (final < 3.28 ? 0.1 : 0.01) * random.normal();
      return (share) => final + law(share) + off * (1 - share);
    }
    case 'late drop': {
      // The learning-rate schedule lowers the end by a part that no early value shows.
      const drop = 0.15 + 0.01 * random.normal();
      return (share) => final + law(share) + drop * Math.min(1, Math.max(0, (1 - share) / 0.3));
    }
    case 'crossing': {
      // Slow starters end better: a run that looks worse at first tends to win.
      return behind(-1.5 * (final - 3.3));
    }
    default:
      return (share) => final + law(share);
  }
}

function noiseOf(name: Family, random: Random): () => number {
  const rho = name.startsWith('AR(1)') ? Number(name.slice(6)) : 0;
  const sd = name === 'heavy noise' ? 0.1 : 0.01;
  let last = random.normal();
  return () => {
    if (rho > 0) {
      last = rho * last + Math.sqrt(1 - rho * rho) * random.normal();
      return sd * last;
    }
    return sd * random.normal();
  };
}
