import { sd, seriesOf } from '../statistics/series.ts';
import { upperQuantile } from '../statistics/student-t.ts';
import { first31, type Hash } from '../trial/trial-seeds.ts';
import { sameValue } from './certificate.ts';

/** Number of further seeds under which `verify` scores the artefacts by default. */
export const FURTHER_SEEDS = 20;
/** Probability that a public value of an honest maker counts as an outlier, if values are normal. */
const OUTLIER_P = 0.01;

/**
 * Seeds derived from a root: the public seed, or a number of the verifier. The first 31 bits of the SHA-256 of root and
 * index.
 */
export const furtherSeeds = (root: number, count: number, sha256: Hash): number[] =>
  Array.from({ length: count }, (_, index) => first31(sha256(`certificate\n${root}\n${index + 1}`)));

/** Values of the same artefacts under further seeds, compared with the public value. */
export interface SeedComparison {
  mean: number;
  /** Half of the 95 % interval of the mean (Student's t); null for one seed. */
  plusMinus: number | null;
  /** Sample standard deviation; null for one seed. */
  sd: number | null;
  min: number;
  max: number;
  /** True if each seed gives the public value. */
  allEqual: boolean;
  /** Distance by which the public value is better than the mean, in `sd`; negative if worse; null without a spread. */
  excess: number | null;
  /** True if the public value is better than luck explains: the prediction interval of one more value excludes it. */
  isOutlier: boolean;
}

/** Compares the public value with the values under further seeds; null without any. */
export function compareSeeds(
  publicValue: number,
  values: readonly number[],
  direction: 'minimize' | 'maximize',
): SeedComparison | null {
  const n = values.length;
  if (n === 0) return null;
  const series = seriesOf(values);
  const { mean, min, max } = series;
  const allEqual = values.every((value) => sameValue(value, publicValue));
  const base = { mean, min, max, allEqual };
  if (n === 1) return { ...base, plusMinus: null, sd: null, excess: null, isOutlier: false };
  const spread = sd(series);
  const better = direction === 'minimize' ? mean - publicValue : publicValue - mean;
  const limit = upperQuantile(OUTLIER_P, n - 1) * spread * Math.sqrt(1 + 1 / n);
  return {
    ...base,
    plusMinus: (upperQuantile(0.025, n - 1) * spread) / Math.sqrt(n),
    sd: spread,
    excess: spread > 0 ? better / spread : null,
    isOutlier: !allEqual && better > limit,
  };
}
