/** Puts text in a fence longer than any run of backticks in it, so that the text cannot close the fence. */
export function fenced(text: string, info = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${info}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${marks}`;
}
