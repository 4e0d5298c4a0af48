// The value of an answer.

/** Smallest probability: a smaller one counts as this, so that a wrong zero costs 30 bits, not infinity. */
export const FLOOR = 1e-9;
/** Allowed distance of a row's sum from one. */
export const TOLERANCE = 1e-3;

/** Problem of one row of an answer in words; undefined if it is a distribution over `symbols` symbols. */
export function problemOf(row, symbols) {
  if (!Array.isArray(row)) return `expected an array of ${symbols} probabilities, got ${typeof row}`;
  if (row.length !== symbols) return `expected ${symbols} probabilities, got ${row.length}`;
  let sum = 0;
  for (const [i, p] of row.entries()) {
    if (typeof p !== 'number' || !Number.isFinite(p))
      return `expected a finite number at ${i}, got ${JSON.stringify(p)}`;
    if (p < 0) return `expected no negative probability, got ${p} at ${i}`;
    sum += p;
  }
  if (Math.abs(sum - 1) <= TOLERANCE) return undefined;
  return `expected a sum of 1 (within ${TOLERANCE}), got ${Number(sum.toPrecision(6))}`;
}

/** The row with probabilities of at least FLOOR before it is scaled to the sum one. */
export function floored(row) {
  const raised = row.map((p) => Math.max(p, FLOOR));
  const sum = raised.reduce((a, b) => a + b, 0);
  return raised.map((p) => p / sum);
}

/** Bits that a prediction costs beyond the true distribution, in expectation over the next symbol: KL(truth ‖ row). */
export function excessBits(truth, row) {
  let bits = 0;
  for (let i = 0; i < truth.length; i++) if (truth[i] > 0) bits += truth[i] * Math.log2(truth[i] / row[i]);
  return bits;
}
