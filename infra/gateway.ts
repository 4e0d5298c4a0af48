import type { CallAnswer, CallRequest } from '../domain/gateway/call.ts';

/** The stored calls of one caller. Each call is a row before it leaves. */
export interface CallLedger {
  /**
   * Stores a request that is about to leave, and returns its turn. `refused`: the sentence that the caller receives
   * with status 403, because a limit or a budget is spent. If an equal request was cut before, its row is used again.
   * Waits while too many calls are under way; rejects if `signal` fires before the request is stored.
   */
  begin: (request: CallRequest, signal?: AbortSignal) => Promise<{ turn: number } | { refused: string }>;
  /** Stores the answer and charges its tokens and cost. */
  end: (turn: number, answer: CallAnswer) => Promise<void>;
  /** Stores why a request has no answer, e.g. that the endpoint was not reached. */
  fail: (turn: number, error: string) => Promise<void>;
}

/** The gateway of one run, while it is served. */
export interface OpenGateway {
  /** Number of requests in progress, waits for a busy endpoint included. */
  active: () => number;
  /** Ends all calls and removes the socket. */
  close: () => Promise<void>;
}
