import type { CallRequest } from '../call.ts';

/** A request as it is stored: its long values are parts, which other requests of the trial may have, too. */
export interface StoredRequest {
  path: string;
  streams: boolean;
  /** The body with null in the place of each value that is a part; or its text. */
  body: Readonly<Record<string, unknown>> | string;
  /** Number of the part of a value, by its key; of each element, if the value is a list. */
  parts: Readonly<Record<string, number | readonly number[]>>;
}

/** A request whose parts have no numbers yet. */
export interface SplitRequest extends Omit<StoredRequest, 'parts'> {
  /** JSON text of each long value, by its key; of each element, if the value is a list. */
  values: Readonly<Record<string, string | readonly string[]>>;
}

/** Length of the JSON text of a value that is no part. */
const SHORT = 200;

/** Most parts of a request; one with more is stored as one text. */
const MOST_PARTS = 20_000;

/** Separates the long values of a request, such as messages and tools, whatever its protocol calls them. */
export function splitRequest({ path, streams, body }: Pick<CallRequest, 'path' | 'streams' | 'body'>): SplitRequest {
  const parsed = parseObject(body);
  if (parsed === null) return wholeRequest({ path, streams, body });
  const rest: [string, unknown][] = [];
  const values: [string, string | string[]][] = [];
  for (const [key, value] of Object.entries(parsed)) {
    const text = Array.isArray(value) ? value.map((element) => JSON.stringify(element)) : JSON.stringify(value);
    const isLong = (typeof text === 'string' ? text.length : sum(text)) > SHORT;
    rest.push([key, isLong ? null : value]);
    if (isLong) values.push([key, text]);
  }
  if (values.flatMap(([, text]) => text).length > MOST_PARTS) return wholeRequest({ path, streams, body });
  return { path, streams, body: Object.fromEntries(rest), values: Object.fromEntries(values) };
}

/** A request without parts of its own. */
export const wholeRequest = ({
  path,
  streams,
  body,
}: Pick<CallRequest, 'path' | 'streams' | 'body'>): SplitRequest => ({
  path,
  streams,
  body,
  values: {},
});

/** The text of each part of a request, in order; equal parts come once. */
export const partsOf = ({ values }: SplitRequest): string[] => [...new Set(Object.values(values).flat())];

/** The request with the numbers of its parts in the place of their texts. */
export function numberParts({ values, ...rest }: SplitRequest, numberOf: (text: string) => number): StoredRequest {
  const parts = Object.entries(values).map(
    ([key, text]) => [key, typeof text === 'string' ? numberOf(text) : text.map(numberOf)] as const,
  );
  return { ...rest, parts: Object.fromEntries(parts) };
}

/**
 * The text by which two requests are equal: an agent may repeat a cut stream as a whole answer, so that the form of the
 * answer is left out.
 */
export function identityOf({ path, body, parts }: StoredRequest): string {
  if (typeof body === 'string') return JSON.stringify({ path, body });
  const { stream: _stream, stream_options: _options, ...asked } = body;
  return JSON.stringify({ path, body: asked, parts });
}

/** The body of a stored request. `valueOf` returns the parsed value of a part; undefined if the part was removed. */
export function joinRequest({ body, parts }: StoredRequest, valueOf: (part: number) => unknown): unknown {
  if (typeof body === 'string') return parseObject(body) ?? body;
  const entries = Object.entries(body).map(([key, value]) => {
    const part = Object.hasOwn(parts, key) ? parts[key] : undefined;
    if (part === undefined) return [key, value] as const;
    return [key, typeof part === 'number' ? valueOf(part) : part.map(valueOf)] as const;
  });
  return Object.fromEntries(entries);
}

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length + 1, 0);

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
