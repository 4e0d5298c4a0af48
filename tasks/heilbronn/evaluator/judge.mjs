// The exact judgement of points in a triangle. A double is an integer times 2^-1074, so no comparison here rounds.
export const POINTS = 11;

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

const ONE = integerOf(1);

/** Reason why the value is no placement of points, in words; undefined if it is one. */
export function problemOf(points) {
  if (!Array.isArray(points) || points.length !== POINTS) return `expected an array of ${POINTS} points`;
  for (const [i, point] of points.entries()) {
    if (!Array.isArray(point) || point.length !== 2 || !point.every((one) => Number.isFinite(one)))
      return `point ${i}: expected [u, v], two finite numbers`;
    const [u, v] = point.map(integerOf);
    if (u < 0n || v < 0n || u + v > ONE) return `point ${i}: expected it inside the triangle: u ≥ 0, v ≥ 0, u + v ≤ 1`;
  }
  return undefined;
}

/** The smallest area of a triangle of three points as a share of the whole, rounded down to 15 decimals. */
export function areaOf(points) {
  const exact = points.map((point) => point.map(integerOf));
  let least = ONE * ONE;
  for (const [i, [a, b]] of exact.entries()) {
    for (const [j, [c, d]] of exact.slice(0, i).entries()) {
      for (const [e, f] of exact.slice(0, j)) {
        const double = (c - a) * (f - b) - (e - a) * (d - b);
        const area = double < 0n ? -double : double;
        if (area < least) least = area;
      }
    }
  }
  return Number((least * 10n ** 15n) / (ONE * ONE)) / 1e15;
}
