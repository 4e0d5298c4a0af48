/** Keys of an error whose values repeat the request. Their words say nothing about the error. */
const ECHOES = new Set(['input', 'request', 'body', 'prompt', 'messages', 'request_body', 'received']);
/** Deepest nesting that is read. */
const DEEPEST = 8;

/** Texts and numbers of an error, also those of JSON within its texts, without repetitions of the request. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'number') return [String(value)];
  if (depth > DEEPEST) return [];
  if (typeof value === 'string') {
    // Gateways put the error of the provider behind them into a text.
    const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
    return inner === undefined ? [value] : textsIn(inner, depth + 1);
  }
  if (Array.isArray(value)) {
    // A path such as ["body", "temperature"] contains names, not a repeated request.
    return value.flatMap((each) => textsIn(each, depth + 1));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (ECHOES.has(key) ? [] : textsIn(inner, depth + 1)));
}

/** Parsed JSON; undefined if the text is none. Ignores a byte order mark, which some gateways send. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
  } catch {
    return undefined;
  }
}
