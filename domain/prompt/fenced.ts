/** Text in a fence that is longer than any run of backticks in it, so that nothing in it can end the block. */
export function fenced(text: string, info = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const marks = '`'.repeat(Math.max(3, longest + 1));
  return `${marks}${info}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${marks}`;
}
