import type { Link } from './wald.ts';

/** Forecast errors of completed runs at some looks, as a Markov chain. */
export interface Chain {
  bias: number[];
  spread: number[];
  links: Link[];
  /** Shift that the test detects: the spread of the first look. */
  effect: number;
}

/**
 * Estimates bias, spread and first-order correlation at the looks with these indices, from runs that have a forecast at
 * all of them. Variances are divided by n − 2 and multiplied by 1 + 2/n for the estimates' own errors. Null for fewer
 * than eight such runs.
 */
export function chainOf(errors: readonly (readonly (number | null)[])[], looks: readonly number[]): Chain | null {
  const width = looks.length;
  const rows = wholeRows(errors, looks);
  const n = width > 0 ? rows.length / width : 0;
  if (n < 8) return null;
  const sums = (term: (at: number, i: number) => number): number[] => {
    const totals = looks.map(() => 0);
    for (let at = 0; at < rows.length; at += 1) totals[at % width] = (totals[at % width] ?? 0) + term(at, at % width);
    return totals;
  };
  const bias = sums((at) => rows[at] ?? 0).map((sum) => sum / n);
  const deviation = (at: number, i: number): number => (rows[at] ?? 0) - (bias[i] ?? 0);
  const squares = sums((at, i) => deviation(at, i) * deviation(at, i));
  const products = sums((at, i) => (i === 0 ? 0 : deviation(at, i) * deviation(at - 1, i - 1)));
  const widen = (1 + 2 / n) / (n - 2);
  const links = squares.map((square, i): Link => {
    if (i === 0) return { phi: 0, variance: square * widen };
    const before = squares[i - 1] ?? 0;
    const phi = before > 0 ? (products[i] ?? 0) / before : 0;
    return { phi, variance: Math.max(square - phi * phi * before, 1e-9 * square) * widen };
  });
  const spread = squares.map((square) => Math.sqrt(square * widen));
  return { bias, spread, links, effect: spread[0] ?? 0 };
}

/** Errors at these looks, row after row, of the runs that have them all. Flat, since decisions spend most time here. */
function wholeRows(errors: readonly (readonly (number | null)[])[], looks: readonly number[]): Float64Array {
  const rows = new Float64Array(errors.length * looks.length);
  let filled = 0;
  for (const row of errors) {
    if (looks.some((k) => (row[k] ?? null) === null)) continue;
    for (const k of looks) {
      rows[filled] = row[k] ?? 0;
      filled += 1;
    }
  }
  return rows.subarray(0, filled);
}
