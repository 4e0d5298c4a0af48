// The exact judgement of a packing. A double is an integer times 2^-1074, so no comparison here rounds.
export const CIRCLES = 26;

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

/** Reason why the value is no packing, in words; undefined if it is one. */
export function problemOf(circles) {
  if (!Array.isArray(circles) || circles.length !== CIRCLES) return `expected an array of ${CIRCLES} circles`;
  for (const [i, circle] of circles.entries()) {
    if (!Array.isArray(circle) || circle.length !== 3 || !circle.every((one) => Number.isFinite(one)))
      return `circle ${i}: expected [x, y, r], three finite numbers`;
  }
  const exact = circles.map((circle) => circle.map(integerOf));
  for (const [i, [x, y, r]] of exact.entries()) {
    if (r <= 0n) return `circle ${i}: expected a radius above 0, got ${circles[i][2]}`;
    if (x - r < 0n || y - r < 0n || x + r > ONE || y + r > ONE) return `circle ${i}: expected it inside the square`;
    for (let j = 0; j < i; j++) {
      const [a, b, s] = exact[j];
      if ((x - a) ** 2n + (y - b) ** 2n < (r + s) ** 2n) return `circles ${j} and ${i}: expected no overlap`;
    }
  }
  return undefined;
}

/** The sum of the radii, rounded down to 15 decimals. */
export function sumOf(circles) {
  const sum = circles.reduce((total, [, , r]) => total + integerOf(r), 0n);
  return Number((sum * 10n ** 15n) / ONE) / 1e15;
}
