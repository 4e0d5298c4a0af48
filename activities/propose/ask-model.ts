import { Context } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import type { LlmAnswer, LlmError, LlmRequest } from '../../infra/llm.ts';
import { estimateTokens } from '../../domain/search/context/build-messages.ts';
import { reportEndpointDown, createFencedFailure } from './report-endpoint-down.ts';
import { messagesOf } from './prompt/messages-of.ts';
import type { UnusableAnswer, ModelAnswer, ProposeContext } from './propose-context.ts';

/** HTTP statuses about this one request (too long, malformed): a retry would not help. */
const ABOUT_THE_REQUEST = [400, 413, 422];

const TOO_MANY = 429;

/** Alert, stored once, if tokens are estimated. */
const ESTIMATED =
  'the model endpoint reports no usage, so Perpetua estimates tokens (bytes of request and answer / 3) ' +
  'for the budgets of tokens and money; ' +
  'it does not count hidden reasoning and calls without an answer';

interface Counted {
  tokensIn: number | null;
  tokensOut: number | null;
  estimated: boolean;
}

/** Tokens of a call; estimated if a budget needs them and the endpoint does not report them. */
export function countTokens(
  { budget }: Pick<Research, 'budget'>,
  { request, answer }: { request: LlmRequest; answer: LlmAnswer },
): Counted {
  const { tokensIn, tokensOut } = answer;
  const isReported = tokensIn !== null && tokensOut !== null;
  if (isReported || (budget.tokens === undefined && budget.usd === undefined))
    return { tokensIn, tokensOut, estimated: false };
  const asked = request.messages.map(({ content }) => content).join('\n');
  return {
    tokensIn: tokensIn ?? estimateTokens(asked),
    tokensOut: tokensOut ?? estimateTokens(answer.text),
    estimated: true,
  };
}

/**
 * Sends one request: stores its row, sends it, stores the answer. Throws a retryable failure while the endpoint is
 * down. Returns `rejected` if a retry cannot help.
 */
export async function askModel(
  context: ProposeContext,
  from: { research: Research; turn: number; correction: UnusableAnswer | null },
): Promise<ModelAnswer | { rejected: Failure }> {
  const { deps, trial, signal } = context;
  if (!deps.models.llm || deps.models.llmModel === undefined)
    return reportEndpointDown(context, from.research, {
      what: 'model endpoint',
      message:
        'none is configured on this worker: ' +
        'run npx perpetua down, set OPENAI_BASE_URL or OPENAI_API_KEY, then npm start',
    });
  const request = await requestOf(context, from);
  const key = { trialId: trial.id, turn: from.turn };
  const { attempt, workflowExecution } = Context.current().info;
  const sender = { workflowRun: workflowExecution?.runId ?? '', attempt };
  const mark = await deps.store.call.beginCall({ ...key, ...sender, model: request.model, request });
  if (mark === null) throw createFencedFailure();
  deps.reach('model-request-sent');
  try {
    const answer = await deps.models.llm.complete(request, signal);
    deps.reach('answer-received');
    const { text, finishReason, refusal, latencySeconds } = answer;
    const { tokensIn, tokensOut, estimated } = countTokens(from.research, { request, answer });
    const usd = deps.models.priceOf(request.model, tokensIn, tokensOut);
    const outcome = { finishReason, refusal };
    const saved = { ...key, mark, answer: text, outcome, tokensIn, tokensOut, usd, latencySeconds };
    if (!(await deps.store.call.saveAnswer(saved))) throw createFencedFailure();
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
    // After the answer, which has been paid for, is stored.
    if (estimated)
      await deps.store.research.insertAlert({ researchId: trial.researchId, message: ESTIMATED, once: true });
    return { text, finishReason, refusal };
  } catch (error) {
    if (!isLlmError(error)) throw error;
    await deps.store.call.saveCallError({ ...key, mark, error: error.message, limited: error.status === TOO_MANY });
    if (error.kind === 'malformed' || ABOUT_THE_REQUEST.includes(error.status ?? 0)) {
      // The endpoint answered, so it is not down.
      await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
      return { rejected: { label: 'proposer-failed', message: error.message.slice(0, 1000) } };
    }
    return reportEndpointDown(context, from.research, {
      what: 'model endpoint',
      message: error.message,
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
}

const isLlmError = (error: unknown): error is LlmError => error instanceof Error && error.name === 'LlmError';

async function requestOf(
  context: ProposeContext,
  { research, correction }: { research: Research; correction: UnusableAnswer | null },
): Promise<LlmRequest> {
  const { deps, version } = context;
  const { model, temperature, maxTokens, deadlineSeconds } = version.task.llm;
  const messages = await messagesOf(context, { research, correction });
  return { model: model ?? deps.models.llmModel ?? '', messages, temperature, maxTokens, deadlineSeconds };
}
