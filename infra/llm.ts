/** A model behind an OpenAI-compatible endpoint. */

export interface LlmRequest {
  model: string;
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  temperature: number;
  maxTokens: number;
  /** Hard total deadline in seconds, over every retry the client makes. */
  deadlineSeconds: number;
}

export interface LlmAnswer {
  text: string;
  /** The endpoint's own word: stop, length, content_filter, … */
  finishReason: string | null;
  /** What the model said instead of answering, where the endpoint has a field for it. */
  refusal: string | null;
  model: string;
  tokensIn: number | null;
  tokensOut: number | null;
  latencySeconds: number;
}

/**
 * Why a call failed. `down`: not reachable, 5xx, 429, deadline: may heal, the loop waits.
 * `refused`: 4xx on this request (bad key, unknown model, too long): a person has to act.
 * `malformed`: the endpoint answered something that is no completion.
 */
export type LlmErrorKind = 'down' | 'refused' | 'malformed';

export class LlmError extends Error {
  override readonly name = 'LlmError';
  readonly kind: LlmErrorKind;
  /** HTTP status where there was one. */
  readonly status: number | null;
  /** Seconds the endpoint asked to wait. */
  readonly retryAfterSeconds: number | null;
  constructor(
    message: string,
    details: { kind: LlmErrorKind; status?: number | null; retryAfterSeconds?: number | null },
  ) {
    super(message);
    this.kind = details.kind;
    this.status = details.status ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

export interface Llm {
  /** One completion. Throws {@link LlmError} only, or the signal's reason, at once, when the signal aborts. */
  complete(request: LlmRequest, signal: AbortSignal): Promise<LlmAnswer>;
}

/** USD per million tokens by the name that is asked for, e.g. `{ "some-model": { "input": 0.15, "output": 0.6 } }`. */
type Prices = Readonly<Record<string, { input: number; output: number }>>;

/** Tokens of one call; null where the endpoint did not say. */
interface TokenUse {
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
