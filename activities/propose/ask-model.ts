import { Context } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import { askedModel, type AskedModel, type ModelSettings } from '../../domain/llm/asked-model.ts';
import { NOTHING } from '../../domain/edit/answer/finish-reason.ts';
import type { Llm, LlmAnswer, LlmError, LlmRequest } from '../../infra/llm.ts';
import { estimateTokens, LEAST_CHARACTERS, type PartSize } from '../../domain/search/context/build-messages.ts';
import { PROPOSE_TOOL } from '../../domain/edit/tools/propose-tool.ts';
import { toolCallsText } from '../../domain/edit/tools/tool-call.ts';
import type { LlmSettings } from '../../domain/search/schema.ts';
import { type Alive, proveAlive } from './prove-alive.ts';
import { createFencedFailure, MODEL_ENDPOINT, reportEndpointDown } from './report-endpoint-down.ts';
import { clientOf, offeredModels } from './offered-models.ts';
import { chatPromptOf } from './prompt/messages-of.ts';
import type { UnusableAnswer, ModelAnswer, ProposeContext } from './propose-context.ts';

/** HTTP statuses about this one request (too long, malformed): a retry would not help. */
const ABOUT_THE_REQUEST = [400, 413, 422];

const TOO_MANY = 429;

/** HTTP statuses below 500 that may concern one model of the endpoint: its rights, its name, its rate. */
const OF_THE_MODEL = [403, 404, TOO_MANY];

/**
 * True if an error may concern one model of the endpoint, so that its other models are asked. Behind a router each
 * model has servers of its own: a failure, a malformed answer or a silence of one says nothing of the others. Keys of
 * `llm.body` and tools are refused by a model, too.
 */
function mayConcernModel({ kind, status, refused, isLate }: LlmError): boolean {
  if (refused === 'setting' || refused === 'tools' || isLate || kind === 'malformed') return true;
  return status !== null && (status >= 500 || OF_THE_MODEL.includes(status));
}

/** Alert, stored once, if tokens are estimated. */
const ESTIMATED =
  'the model endpoint reports no usage, so Perpetua estimates tokens (bytes of request and answer / 3) ' +
  'for the budgets of tokens and money; ' +
  'it does not count hidden reasoning and calls without an answer';

/** Alert, stored once for a model, if `llm.edits: auto` falls back. */
const withoutTools = (model: string): string =>
  `the endpoint refuses tools for the model ${model}, so that its answers are read as text (llm.edits: auto)`;

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
    tokensOut: tokensOut ?? estimateTokens(answer.text + toolCallsText(answer.toolCalls ?? [])),
    estimated: true,
  };
}

type Asked = ModelAnswer | { rejected: Failure };

interface Question {
  research: Research;
  /** Settings of the proposer, before those of the task's `llm`. */
  settings: ModelSettings;
  turn: number;
  correction: UnusableAnswer | null;
}

/**
 * Asks the model, again with a shorter prompt if the endpoint refuses its length. Throws a retryable failure while the
 * endpoint is down. Returns `rejected` if a retry cannot help.
 */
export async function askModel(context: ProposeContext, question: Question): Promise<Asked> {
  const { deps, version } = context;
  const { settings, research } = question;
  const model = askedModel(offeredModels(deps.models), { settings, llm: version.task.llm });
  if ('missing' in model)
    return reportEndpointDown(context, research, { what: MODEL_ENDPOINT, message: model.missing });
  const llm = clientOf(deps.models, model.provider);
  if (llm === undefined) throw new Error(`Expected a client of ${model.provider}, got none`);
  // Each refusal by length halves the prompt, down to its least length. Tools are refused once.
  for (;;) {
    const asked = await sendOnce(context, { ...question, llm, model });
    if (asked !== 'again') return asked;
  }
}

type Sender = Question & { llm: Llm; model: Exclude<AskedModel, { missing: string }> };

/** Sends one request: stores its row, sends it, stores the answer. */
async function sendOnce(context: ProposeContext, from: Sender): Promise<Asked | 'again'> {
  const { deps, trial, signal } = context;
  const { request, promptSizes } = await requestOf(context, from);
  const key = { trialId: trial.id, turn: from.turn };
  const alive = await proveAlive(context, { turn: from.turn, request, llm: from.llm }).catch((error: unknown) => {
    if (!isLlmError(error)) throw error;
    return error;
  });
  if (isLlmError(alive)) return reportError(context, from.research, alive);
  const { attempt, workflowExecution } = Context.current().info;
  const sender = { workflowRun: workflowExecution?.runId ?? '', attempt };
  const mark = await deps.store.call.beginCall({ ...key, ...sender, model: request.model, request, promptSizes });
  if (mark === null) throw createFencedFailure();
  deps.reach('model-request-sent');
  const sending: Sending = { ...key, mark, request, alive };
  try {
    const answer = await from.llm.complete(request, signal);
    deps.reach('answer-received');
    const { text, toolCalls, finishReason, refusal, latencySeconds } = answer;
    const outcome = { finishReason, refusal, ...(toolCalls === undefined ? {} : { toolCalls }) };
    await store(context, from.research, { sending, answer, outcome, latencySeconds });
    return { text, ...outcome };
  } catch (error) {
    if (!isLlmError(error)) throw error;
    if (error.kind === 'malformed' && alive.isLast) return takeAsAnswer(context, from.research, { sending, error });
    const saved = { error: error.message, limited: error.status === TOO_MANY, nothing: error.kind === 'malformed' };
    await deps.store.call.saveCallError({ ...key, mark, ...saved });
    if (error.refused === 'length' && isShortened(from.llm, request)) return 'again';
    if (error.refused === 'tools' && context.version.task.llm.edits === 'auto') {
      const message = withoutTools(request.model).slice(0, 500);
      await deps.store.research.insertAlert({ researchId: trial.researchId, message, once: true });
      return 'again';
    }
    return reportError(context, from.research, error);
  }
}

interface Sending {
  trialId: string;
  turn: number;
  mark: string;
  request: LlmRequest;
  alive: Alive;
}

/** True if the next prompt for the model is shorter than this one. */
function isShortened(llm: Llm, { model, messages }: LlmRequest): boolean {
  const limit = llm.promptLimit(model);
  const length = messages.reduce((sum, { content }) => sum + content.length, 0);
  return limit !== null && Math.max(limit, LEAST_CHARACTERS) < length;
}

/** Stores an answer with its cost, and that the endpoint is up. */
async function store(
  { deps, trial }: ProposeContext,
  research: Research,
  {
    sending: { request, alive, ...key },
    answer,
    outcome,
    latencySeconds,
  }: { sending: Sending; answer: LlmAnswer; outcome: object; latencySeconds: number | null },
): Promise<void> {
  const { tokensIn, tokensOut, estimated } = withProbe(alive, countTokens(research, { request, answer }));
  const usd = deps.models.priceOf(request.model, tokensIn, tokensOut);
  const { tokensCached = null, tokensReasoning = null } = answer;
  const tokens = { tokensIn, tokensOut, tokensCached, tokensReasoning };
  const saved = { ...key, answer: answer.text, outcome, ...tokens, usd, latencySeconds };
  if (!(await deps.store.call.saveAnswer(saved))) throw createFencedFailure();
  const { researchId, arm } = trial;
  await deps.store.call.recordEndpoint({ researchId, down: null });
  if (arm !== null) await deps.store.research.markArmUp({ researchId, key: arm });
  // After the answer, which has been paid for, is stored.
  if (estimated)
    await deps.store.research.insertAlert({ researchId: trial.researchId, message: ESTIMATED, once: true });
}

/** Adds the tokens of a probe, which has no row of its own. */
function withProbe({ probe }: Alive, counted: Counted): Counted {
  if (probe === null) return counted;
  const sum = (one: number | null, other: number | null): number | null =>
    one === null && other === null ? null : (one ?? 0) + (other ?? 0);
  const { tokensIn, tokensOut, estimated } = counted;
  return { tokensIn: sum(tokensIn, probe.tokensIn), tokensOut: sum(tokensOut, probe.tokensOut), estimated };
}

/** Stores that an endpoint which answers other prompts answers this one with nothing. */
async function takeAsAnswer(
  context: ProposeContext,
  research: Research,
  { sending, error }: { sending: Sending; error: LlmError },
): Promise<ModelAnswer> {
  const outcome = { finishReason: NOTHING, refusal: null, why: error.message };
  const { model } = sending.request;
  const answer = { text: '', ...outcome, model, tokensIn: null, tokensOut: null, latencySeconds: 0 };
  await store(context, research, { sending, answer, outcome, latencySeconds: null });
  return { text: '', ...outcome };
}

/** Rejects the proposal for an error about its request; otherwise reports that the endpoint is down. */
async function reportError(
  context: ProposeContext,
  research: Research,
  error: LlmError,
): Promise<{ rejected: Failure }> {
  const { deps, trial } = context;
  const concernsPrompt = error.refused === 'content' || ABOUT_THE_REQUEST.includes(error.status ?? 0);
  if (concernsPrompt && error.refused !== 'setting' && error.refused !== 'tools') {
    // The endpoint answered, so it is not down.
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
    return { rejected: { label: 'proposer-failed', message: error.message.slice(0, 1000) } };
  }
  return reportEndpointDown(context, research, {
    what: MODEL_ENDPOINT,
    message: error.refused === 'tools' ? `llm.edits: set it to text or auto: ${error.message}` : error.message,
    retryAfterSeconds: error.retryAfterSeconds,
    // The second model that is silent for a whole deadline shows that its endpoint is: no third one is asked.
    isOfModel: mayConcernModel(error) && !(error.isLate && context.wasLate === true),
    isLate: error.isLate,
  });
}

/**
 * True if the edits of an answer are to be tool calls. With `auto`, an endpoint that refuses tools, or that left them
 * out of the last answer, is asked for text.
 */
function asksForTools(
  setting: LlmSettings['edits'],
  { correction, isRefused }: { correction: UnusableAnswer | null; isRefused: boolean },
): boolean {
  if (setting === 'auto') return !isRefused && correction?.lacksCalls !== true;
  return setting === 'tools';
}

const isLlmError = (error: unknown): error is LlmError => error instanceof Error && error.name === 'LlmError';

async function requestOf(
  context: ProposeContext,
  { research, settings, correction, llm, model: { provider, model, body } }: Sender,
): Promise<{ request: LlmRequest; promptSizes: PartSize[] }> {
  const { deadlineSeconds, edits, ...usual } = context.version.task.llm;
  const { temperature = usual.temperature, maxTokens = usual.maxTokens } = settings;
  const byTools = asksForTools(edits, { correction, isRefused: llm.refusesTools?.(model) ?? false });
  const limit = llm.promptLimit(model);
  const { messages, sizes } = await chatPromptOf(context, { research, correction, limit, byTools });
  const request = {
    ...(provider !== 'openai' && { provider }),
    model,
    messages,
    temperature,
    maxTokens,
    deadlineSeconds,
    ...(byTools && { tools: [PROPOSE_TOOL] }),
    ...(body !== undefined && { body }),
  };
  return { request, promptSizes: sizes };
}
