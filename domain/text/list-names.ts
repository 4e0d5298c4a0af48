/** Number of names that a list writes out; the others are only counted. */
export const MOST_NAMED = 3;

/** Names as a list in a sentence: `a`, `a and b`, `a, b, c and 2 more`. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  if (rest > 0) return `${names.slice(0, MOST_NAMED).join(', ')} and ${rest} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}` : names.join('');
}
