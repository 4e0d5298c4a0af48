/** Text that everything downstream can hold, as text and as JSON: no NUL, no half of a surrogate pair; each becomes U+FFFD. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** The same of every text in a JSON value, keys too. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner)]));
}
