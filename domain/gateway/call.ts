/** Protocols that the gateway passes: OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini's. */
export const PROTOCOLS = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Caller of a call: the proposer of a trial, or the evaluator that scores its run. */
export type CallRole = 'proposer' | 'evaluator';

/** A request as it leaves the gateway, without headers. */
export interface CallRequest {
  protocol: Protocol;
  /** Path without the query, e.g. `/v1/messages`. */
  path: string;
  /** Null if the request names no model. */
  model: string | null;
  streams: boolean;
  /** The JSON text of the request. */
  body: string;
}

/** Tokens of a call; null: not reported. */
export interface CallUsage {
  /** All tokens of the prompt, cached ones included. */
  tokensIn: number | null;
  /** All tokens of the answer, reasoning included. */
  tokensOut: number | null;
  tokensCached: number | null;
  tokensReasoning: number | null;
  /** True if the gateway estimated the tokens, because the endpoint reported none. */
  estimated: boolean;
}

/** The usage of an answer that reports none. */
export const NO_USAGE: CallUsage = {
  tokensIn: null,
  tokensOut: null,
  tokensCached: null,
  tokensReasoning: null,
  estimated: false,
};

export interface CallAnswer {
  /** HTTP status of the endpoint. */
  status: number;
  /** The body as it passed: JSON, server-sent events, or the text of an error; the first 16 MiB. */
  body: string;
  usage: CallUsage;
  latencySeconds: number;
  /** True if the answer broke off, on either side, before its end. */
  cut: boolean;
}
