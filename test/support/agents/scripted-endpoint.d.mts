import type { IncomingHttpHeaders } from 'node:http';

/** Tokens of every call. */
export const USAGE: { input: number; output: number; cached: number; reasoning: number };

/** A request that the endpoint received. */
export interface SeenRequest {
  method: string;
  path: string;
  /** Without the question mark. */
  query: string;
  /** From whichever header or query has one. */
  key: string | null;
  model: string | null;
  stream: boolean | null;
  tools: string[];
  bytes: number;
  headers: IncomingHttpHeaders;
  /** Undefined if it is not JSON. */
  body: unknown;
  /** Bytes of a streamed answer that were written so far. */
  written: number;
  /** True if the connection closed before the end of the answer; null before. */
  cut: boolean | null;
}

/** An answer of a test's own; without `status` the script answers, after `wait` milliseconds. */
export interface PreparedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  wait?: number;
  /** True if the answer breaks off at half. */
  cut?: boolean;
  /** Text of the last answer. */
  say?: string;
}

export interface ScriptedEndpointOptions {
  /** Port of 127.0.0.1, or path of a socket; 0, the default: a free port. */
  where?: number | string | undefined;
  /** File that gets a JSON line for each request. */
  log?: string | undefined;
  /** Command of the answers; `{turn}` and `{call}` stand for their numbers. */
  edit?: string | undefined;
  /** Number of commands before the last answer. */
  turns?: number | undefined;
  /** Text of the last answer. */
  say?: string | undefined;
  /** Any other key gets 401. */
  key?: string | undefined;
  logsBodies?: boolean | undefined;
  /** Milliseconds before each answer. */
  wait?: number | undefined;
  /** Milliseconds between events. */
  delay?: number | undefined;
  /** Number of first requests that get 429. */
  limited?: number | undefined;
  /** Seconds of the header retry-after. */
  retryAfter?: number | undefined;
  /** Number of first answers that break off at half. */
  cut?: number | undefined;
  /** True if whole answers are compressed where the client accepts it. */
  gzip?: boolean | undefined;
  /** Answer to a request; `number` counts from 1. */
  answer?: ((request: SeenRequest, number: number) => PreparedAnswer | undefined) | undefined;
}

export interface ScriptedEndpoint {
  /** Null at a socket. */
  port: number | null;
  /** Base URL without `/v1`; null at a socket. */
  url: string | null;
  requests: SeenRequest[];
  close: () => Promise<void>;
}

export function startScriptedEndpoint(options?: ScriptedEndpointOptions): Promise<ScriptedEndpoint>;
