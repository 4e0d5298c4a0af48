import { incompleteBeta } from './incomplete-beta.ts';

/** P(T > t) for Student's t with df > 0 degrees of freedom; accurate far into the tail. */
export function upperTail(t: number, df: number): number {
  const half = 0.5 * incompleteBeta(df / (df + t * t), df / 2, 0.5);
  return t >= 0 ? half : 1 - half;
}

/** The t with P(T > t) = p, for 0 < p < 1 (bisection, absolute error below 1e-10 of the scale). */
export function upperQuantile(p: number, df: number): number {
  if (p > 0.5) return -upperQuantile(1 - p, df);
  let low = 0;
  let high = 1;
  while (upperTail(high, df) > p && high < 1e12) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-12 * high; i += 1) {
    const middle = (low + high) / 2;
    if (upperTail(middle, df) > p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
