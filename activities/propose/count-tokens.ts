import { estimateTokens } from '../../domain/prompt/estimate-tokens.ts';
import type { Research } from '../../db/queries/research.ts';
import type { LlmAnswer, LlmRequest } from '../../infra/llm.ts';
import type { ActivityDeps } from '../deps.ts';

const TOLD =
  'the model endpoint sends no usage: tokens are estimated (bytes / 3), so that the budget of tokens or money ends all the same';

/** What a call took. Where a budget needs the tokens and the endpoint does not tell them, they are estimated, and that is said. */
export async function countTokens(
  { store }: Pick<ActivityDeps, 'store'>,
  { id, budget }: Pick<Research, 'id' | 'budget'>,
  { request, answer }: { request: LlmRequest; answer: LlmAnswer },
): Promise<{ tokensIn: number | null; tokensOut: number | null }> {
  const { tokensIn, tokensOut } = answer;
  const isTold = tokensIn !== null && tokensOut !== null;
  if (isTold || (budget.tokens === undefined && budget.usd === undefined)) return { tokensIn, tokensOut };
  await store.insertAlert({ researchId: id, message: TOLD, once: true });
  const asked = request.messages.map(({ content }) => content).join('\n');
  return { tokensIn: tokensIn ?? estimateTokens(asked), tokensOut: tokensOut ?? estimateTokens(answer.text) };
}
