// The exact judgement of points in the plane. A double is an integer times 2^-1074, so no comparison here rounds.
export const POINTS = 16;

const view = new DataView(new ArrayBuffer(8));

/** A finite double in units of 2^-1074, exactly. */
export function integerOf(double) {
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & ((1n << 52n) - 1n);
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return bits >> 63n === 1n ? -size : size;
}

/** Reason why the value is no list of different points, in words; undefined if it is one. */
export function problemOf(points) {
  if (!Array.isArray(points) || points.length !== POINTS) return `expected an array of ${POINTS} points`;
  for (const [i, point] of points.entries()) {
    if (!Array.isArray(point) || point.length !== 2 || !point.every((one) => Number.isFinite(one)))
      return `point ${i}: expected [x, y], two finite numbers`;
    const [x, y] = point;
    const same = points.slice(0, i).findIndex(([a, b]) => a === x && b === y);
    if (same >= 0) return `points ${same} and ${i}: expected different points`;
  }
  return undefined;
}

/** Square of the largest distance over the square of the smallest, rounded up to 12 decimals; at most `limit`. */
export function ratioOf(points, limit) {
  const exact = points.map((point) => point.map(integerOf));
  let [least, most] = [undefined, 0n];
  for (const [i, [x, y]] of exact.entries()) {
    for (const [a, b] of exact.slice(0, i)) {
      const square = (x - a) ** 2n + (y - b) ** 2n;
      if (square > most) most = square;
      if (least === undefined || square < least) least = square;
    }
  }
  if (most > BigInt(limit) * least) return limit;
  return Number((most * 10n ** 12n + least - 1n) / least) / 1e12;
}
