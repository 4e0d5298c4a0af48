import { estimateTokens } from '../../domain/prompt/estimate-tokens.ts';
import type { Research } from '../../db/research/research.ts';
import type { LlmAnswer, LlmRequest } from '../../infra/llm.ts';

/** What people are told, once, where tokens are estimated. */
export const ESTIMATED =
  'the model endpoint sends no usage: tokens are estimated (bytes / 3 of what was asked and answered), so that the budget of ' +
  'tokens or money ends all the same; hidden reasoning and calls without an answer are not counted';

interface Counted {
  tokensIn: number | null;
  tokensOut: number | null;
  estimated: boolean;
}

/** What a call took; estimated where a budget needs the tokens and the endpoint does not tell them. */
export function countTokens(
  { budget }: Pick<Research, 'budget'>,
  { request, answer }: { request: LlmRequest; answer: LlmAnswer },
): Counted {
  const { tokensIn, tokensOut } = answer;
  const isTold = tokensIn !== null && tokensOut !== null;
  if (isTold || (budget.tokens === undefined && budget.usd === undefined))
    return { tokensIn, tokensOut, estimated: false };
  const asked = request.messages.map(({ content }) => content).join('\n');
  return {
    tokensIn: tokensIn ?? estimateTokens(asked),
    tokensOut: tokensOut ?? estimateTokens(answer.text),
    estimated: true,
  };
}
