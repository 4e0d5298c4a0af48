import { ApplicationFailure, Context } from '@temporalio/activity';
import { baseline, claim } from '../../domain/gate/gate.ts';
import { buildMessages } from '../../domain/prompt/build-messages.ts';
import { contextOf } from '../../domain/search/context/table.ts';
import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import type { LlmError, LlmRequest } from '../../infra/llm.ts';
import { countTokens, ESTIMATED } from './count-tokens.ts';
import { historyOf, measured, parentOf } from './context.ts';
import type { Correction, ModelAnswer, ProposeContext } from './types.ts';

/** Attempts of the activity before the research is said to wait for its endpoint. */
const DOWN_AFTER_ATTEMPTS = 3;
const NOTES = 20;
/** Statuses that concern this one request (too long, malformed): asking the same again would not help. */
const ABOUT_THE_REQUEST = [400, 413, 422];
const LONGEST_RETRY_SECONDS = 600;

/**
 * One request: its row first, then the request, then the stored answer. Throws a retryable failure while the endpoint
 * is down; returns why the request is pointless where that is so.
 */
export async function askModel(
  context: ProposeContext,
  from: { research: Research; turn: number; correction: Correction | null },
): Promise<ModelAnswer | { rejected: Failure }> {
  const { deps, trial, signal } = context;
  if (!deps.models.llm || deps.models.llmModel === undefined)
    return down(context, from.research, {
      message: 'none is configured on this worker: set OPENAI_BASE_URL or OPENAI_API_KEY',
    });
  const request = await requestOf(context, from);
  const key = { trialId: trial.id, turn: from.turn };
  const { attempt, workflowExecution } = Context.current().info;
  const sender = { workflowRun: workflowExecution?.runId ?? '', attempt };
  const mark = await deps.store.call.beginCall({ ...key, ...sender, model: request.model, request });
  if (mark === null) throw late();
  deps.reach('model-request-sent');
  try {
    const answer = await deps.models.llm.complete(request, signal);
    deps.reach('answer-received');
    const { text, finishReason, refusal, latencySeconds } = answer;
    const { tokensIn, tokensOut, estimated } = countTokens(from.research, { request, answer });
    const usd = deps.models.priceOf(request.model, tokensIn, tokensOut);
    const outcome = { finishReason, refusal };
    const saved = { ...key, mark, answer: text, outcome, tokensIn, tokensOut, usd, latencySeconds };
    if (!(await deps.store.call.saveAnswer(saved))) throw late();
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
    // Not before the answer is stored: it is paid for.
    if (estimated)
      await deps.store.research.insertAlert({ researchId: trial.researchId, message: ESTIMATED, once: true });
    return { text, finishReason, refusal };
  } catch (error) {
    if (!isLlmError(error)) throw error;
    await deps.store.call.saveCallError({ ...key, mark, error: error.message });
    if (error.kind === 'malformed' || ABOUT_THE_REQUEST.includes(error.status ?? 0)) {
      // Whoever answers, however badly, is there.
      await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
      return { rejected: { label: 'proposer-failed', message: error.message.slice(0, 1000) } };
    }
    return down(context, from.research, error);
  }
}

/** Another attempt asked since, or has its answer: what is stored is what counts. */
const late = () => ApplicationFailure.retryable('a later attempt asks the model', 'Fenced');

const isLlmError = (error: unknown): error is LlmError => error instanceof Error && error.name === 'LlmError';

/**
 * After a few attempts the research is marked as waiting; Temporal goes on retrying, so it recovers by itself. One that a
 * person has stopped does not wait for that.
 */
async function down(
  { deps, trial }: ProposeContext,
  { phase }: Pick<Research, 'phase'>,
  { message: why, retryAfterSeconds = null }: { message: string; retryAfterSeconds?: number | null },
): Promise<{ rejected: Failure }> {
  const message = `model endpoint: ${why}`;
  if (phase === 'stopping')
    return {
      rejected: { label: 'proposer-failed', message: `stopped while no model answered: ${why}`.slice(0, 1000) },
    };
  if (Context.current().info.attempt >= DOWN_AFTER_ATTEMPTS)
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: message.slice(0, 500) });
  const nextRetryDelay = Math.min(retryAfterSeconds ?? 0, LONGEST_RETRY_SECONDS) * 1000;
  throw ApplicationFailure.create({
    message,
    type: 'EndpointDown',
    ...(nextRetryDelay > 0 ? { nextRetryDelay } : {}),
  });
}

async function requestOf(
  { deps, trial, version, files }: ProposeContext,
  { research, correction }: { research: Research; correction: Correction | null },
): Promise<LlmRequest> {
  const { task } = version;
  const { model, temperature, maxTokens, deadlineSeconds } = task.llm;
  const { method } = contextOf(task.search.context);
  const limit = method.readsTrials ? task.search.history : 0;
  const input = {
    task,
    prompt: version.prompt,
    files,
    parent: await parentOf(deps, trial),
    incumbent: measured(claim(research.gate)),
    baseline: measured(baseline(research.gate)),
    history: await historyOf(deps, { researchId: research.id, limit }),
    notes: await deps.store.research.findNotes({ researchId: research.id, limit: NOTES }),
    ...(correction ? { correction } : {}),
  };
  const messages = buildMessages(input, { parts: method.parts });
  return { model: model ?? deps.models.llmModel ?? '', messages, temperature, maxTokens, deadlineSeconds };
}
