/** Replaces each NUL and each lone surrogate by U+FFFD: Postgres stores neither in text nor in JSON. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Applies `cleanText` to every text in a JSON value, keys included. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner)]));
}
