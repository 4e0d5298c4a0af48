import type { EvaluatorLlm } from '../../domain/schema/evaluator.ts';
import { formatCount, formatUsd } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** Spend of the model calls of a trial's evaluator. */
export interface EvaluatorSpend {
  calls: number;
  tokens: number;
  /** Null if no call has a price. */
  usd: number | null;
}

/** The limits of one scoring, in words. */
export function describeEvaluatorLimits({ calls, tokens, usd }: EvaluatorLlm): string {
  const money = usd === undefined ? '' : ` and ${formatUsd(usd)}`;
  return `may ask a model: at most ${plural(calls, 'call')}, ${formatCount(tokens)} tokens${money} for each scoring`;
}

/** The cost of one scoring, in words. */
export function describeEvaluatorSpend({ calls, tokens, usd }: EvaluatorSpend): string {
  if (calls === 0) return 'asked no model, although it may';
  const money = usd === null ? 'no price in PERPETUA_PRICES' : formatUsd(usd);
  return `asked a model: ${plural(calls, 'call')}, ${formatCount(tokens)} tokens, ${money}`;
}
