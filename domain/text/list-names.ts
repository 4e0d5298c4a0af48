/** Names beyond it are counted. */
export const MOST_NAMED = 3;

/** Names in words, the first few of many. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  if (rest > 0) return `${names.slice(0, MOST_NAMED).join(', ')} and ${rest} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}` : names.join('');
}
