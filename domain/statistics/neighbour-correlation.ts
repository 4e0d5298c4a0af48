/** Lag-1 autocorrelation of a sample: the correlation of each value with the next; 0 if nothing varies. */
export function neighbourCorrelation(values: readonly number[]): number {
  const { squares, products } = neighbourMoments(values);
  return squares > 0 ? products / squares : 0;
}

/** Sums of squared deviations from the mean, and of products of the deviations of neighbours. */
export function neighbourMoments(values: readonly number[]): { squares: number; products: number } {
  // Identical values differ from their mean by rounding only.
  if (new Set(values).size < 2) return { squares: 0, products: 0 };
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  let [squares, products] = [0, 0];
  values.forEach((value, i) => {
    squares += (value - mean) ** 2;
    products += i > 0 ? (value - mean) * ((values[i - 1] ?? mean) - mean) : 0;
  });
  return { squares, products };
}
