/** USD per million tokens by the name that is asked for, e.g. `{ "some-model": { "input": 0.15, "output": 0.6 } }`. */
export type Prices = Readonly<Record<string, { input: number; output: number }>>;

/** Tokens of one call; null where the endpoint did not say. */
export interface TokenUse {
  model: string;
  tokensIn: number | null;
  tokensOut: number | null;
}

/** USD of one call; null, never 0, where the model has no price or the endpoint did not count. */
export function priceOf({ model, tokensIn, tokensOut }: TokenUse, prices: Prices): number | null {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined || tokensIn === null || tokensOut === null) return null;
  return (tokensIn * price.input + tokensOut * price.output) / 1e6;
}
