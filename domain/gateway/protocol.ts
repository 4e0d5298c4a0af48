import type { CallUsage, Protocol } from './call.ts';

export type JsonObject = Record<string, unknown>;

/** Tokens that an endpoint reports; null: not reported. */
export type Tokens = Omit<CallUsage, 'estimated'>;

/** Facts about one protocol. */
export interface ProtocolRule {
  name: Protocol;
  /** Name for people, e.g. "Anthropic's Messages". */
  title: string;
  /** Variables of a worker that give the protocol an endpoint. */
  variables: { baseUrl: string; apiKey: string };
  /** Path of a call. Its group `target` is the path below the endpoint's base URL. */
  path: RegExp;
  /** The same for people. */
  shownPath: string;
  /** Query parameters that are passed on. All others are dropped, since they may hold a key. */
  query: readonly string[];
  /** Header that carries the provider's key. */
  keyHeader: (key: string) => Record<string, string>;
  /** Model and form of the answer, by the request. */
  read: (path: string, body: JsonObject) => { model: string | null; streams: boolean };
  /** True if a stream reports usage only on request (`stream_options.include_usage`). */
  asksForUsage: boolean;
  /** Usage that an answer or an event of a stream reports; null if it has none. Later fields replace earlier ones. */
  usageIn: (event: JsonObject) => JsonObject | null;
  tokensOf: (usage: JsonObject) => Tokens;
  /** Data of the last event of a stream that says something. */
  lastEvent: RegExp;
  /** Text of the answer that an event or a whole answer has, to estimate tokens. */
  textIn: (event: JsonObject) => string;
}

/** The value as an object; null if it is none. */
export const asObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

/** The objects of a list; empty if it is no list. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(asObject).filter((each) => each !== null) : [];

/** A number of tokens; null if the value is none. */
export const tokenCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null;

/** The sum of the numbers that are reported; null if the first is not. */
export function sumOf(first: number | null, ...others: (number | null)[]): number | null {
  if (first === null) return null;
  return others.reduce<number>((sum, each) => sum + (each ?? 0), first);
}

/** The texts among values, joined. */
export const joinTexts = (...values: unknown[]): string => values.filter((value) => typeof value === 'string').join('');

/** Model and form as the body of a request names them. */
export const readBody = (body: JsonObject): { model: string | null; streams: boolean } => ({
  model: typeof body.model === 'string' ? body.model : null,
  streams: body.stream === true,
});

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
