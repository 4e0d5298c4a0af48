import type { Link } from './wald.ts';

/** Forecast errors of completed runs at some looks, as a Markov chain. */
export interface Chain {
  bias: number[];
  spread: number[];
  links: Link[];
  /** Shift that the test tells apart: the spread of the first look. */
  effect: number;
}

/**
 * Estimates bias, spread and first-order correlation at the looks with these indices from runs that have a forecast at
 * all of them. Variances are divided by n − 2 and multiplied by 1 + 2/n for what the estimates themselves cost. Null for
 * fewer than eight such runs.
 */
export function chainOf(errors: readonly (readonly (number | null)[])[], looks: readonly number[]): Chain | null {
  const rows = errors
    .map((row) => looks.map((k) => row[k] ?? null))
    .filter((row): row is number[] => row.every((error) => error !== null));
  const n = rows.length;
  if (n < 8 || looks.length === 0) return null;
  const column = (i: number): number[] => rows.map((row) => row[i] ?? 0);
  const bias = looks.map((_, i) => column(i).reduce((sum, error) => sum + error, 0) / n);
  const moment = (i: number, j: number): number =>
    rows.reduce((sum, row) => sum + ((row[i] ?? 0) - (bias[i] ?? 0)) * ((row[j] ?? 0) - (bias[j] ?? 0)), 0);
  const widen = (1 + 2 / n) / (n - 2);
  const links = looks.map((_, i): Link => {
    const own = moment(i, i);
    if (i === 0) return { phi: 0, variance: own * widen };
    const before = moment(i - 1, i - 1);
    const phi = before > 0 ? moment(i, i - 1) / before : 0;
    return { phi, variance: Math.max(own - phi * phi * before, 1e-9 * own) * widen };
  });
  const spread = looks.map((_, i) => Math.sqrt(moment(i, i) * widen));
  return { bias, spread, links, effect: spread[0] ?? 0 };
}
