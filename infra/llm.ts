// The port to a model behind an endpoint.

import type { ToolCallText } from '../domain/edit/tools/tool-call.ts';
import type { Provider } from '../domain/llm/providers.ts';

export interface LlmRequest {
  /** Absent: the OpenAI-compatible endpoint. */
  provider?: Provider;
  model: string;
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** Null: the endpoint's default. */
  temperature: number | null;
  maxTokens: number;
  /** Tools that the model may call, all in one answer; the first one is asked for. Absent: the answer is text. */
  tools?: readonly LlmTool[];
  /** Further keys of the request, as the task gives them. */
  body?: Readonly<Record<string, unknown>>;
  /** Hard limit in seconds for the whole call, retries of the client included. */
  deadlineSeconds: number;
}

/** A tool of a request. */
export interface LlmTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Readonly<Record<string, unknown>>;
}

export interface LlmAnswer {
  text: string;
  /** Tool calls in their order; absent: none. */
  toolCalls?: ToolCallText[];
  /** Finish reason as the endpoint names it: stop, length, content_filter, … */
  finishReason: string | null;
  /** Refusal of the model in place of an answer; null if there is none, or if the endpoint has no field for it. */
  refusal: string | null;
  model: string;
  tokensIn: number | null;
  tokensOut: number | null;
  /** Part of `tokensIn` that the endpoint had cached, and part of `tokensOut` that was reasoning; null: unknown. */
  tokensCached?: number | null;
  tokensReasoning?: number | null;
  latencySeconds: number;
}

/**
 * Kind of a failed call, by its status or by the error that an answer with status 200 reports. `down`: unreachable,
 * 5xx, 429, deadline; a retry may succeed, so the loop waits. `refused`: another 4xx (bad key, unknown model, request
 * too long); a person has to act. `malformed`: the answer is no completion and reports no error. Gateways send such
 * answers during an outage, and some endpoints for a prompt that they do not accept.
 */
export type LlmErrorKind = 'down' | 'refused' | 'malformed';

type RefusedPart = 'length' | 'setting' | 'content' | 'tools';

export class LlmError extends Error {
  override readonly name = 'LlmError';
  readonly kind: LlmErrorKind;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Seconds that the endpoint asked to wait; null if it did not ask. */
  readonly retryAfterSeconds: number | null;
  /**
   * The refused part of the request: its length, a key of `llm.body`, the prompt's content, or its tools; null: another
   * one, or none.
   */
  readonly refused: RefusedPart | null;
  /** True if the call reached its deadline. */
  readonly isLate: boolean;
  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.kind = details.kind;
    this.status = details.status ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.refused = details.refused ?? null;
    this.isLate = details.isLate ?? false;
  }
}

interface ErrorDetails {
  kind: LlmErrorKind;
  status?: number | null;
  retryAfterSeconds?: number | null;
  refused?: RefusedPart | null;
  isLate?: boolean;
}

export interface Llm {
  /** Requests one completion. Throws only {@link LlmError} or, at once when the signal aborts, its reason. */
  complete(request: LlmRequest, signal: AbortSignal): Promise<LlmAnswer>;
  /** Most characters of a prompt for a model, learnt from a refusal by length; null if no prompt was too long. */
  promptLimit(model: string): number | null;
  /** True if the endpoint refused tools for a model; absent: never. */
  refusesTools?(model: string): boolean;
}

/** USD per million tokens by the requested model's name, e.g. `{ "some-model": { "input": 0.15, "output": 0.6 } }`. */
type Prices = Readonly<Record<string, { input: number; output: number }>>;

/** Tokens of one call; null if the endpoint did not report them. */
interface TokenUse {
  model: string;
  tokensIn: number | null;
  tokensOut: number | null;
}

/** USD of one call; null, never 0, if the model has no price or the endpoint reported no tokens. */
export function priceOf({ model, tokensIn, tokensOut }: TokenUse, prices: Prices): number | null {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined || tokensIn === null || tokensOut === null) return null;
  return (tokensIn * price.input + tokensOut * price.output) / 1e6;
}
