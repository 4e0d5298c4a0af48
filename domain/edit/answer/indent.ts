/** Columns of white space at the beginning of a line; a tab counts as four. */
export function columnsOf(line: string): number {
  let columns = 0;
  for (let at = 0; line[at] === ' ' || line[at] === '\t'; at += 1) columns += line[at] === '\t' ? 4 : 1;
  return columns;
}

/** Columns of white space, at most `most`, that all lines have at their beginning; blank lines do not count. */
export const sharedColumns = (lines: readonly string[], most: number): number =>
  lines.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, columnsOf(line))), most);

/** Lines without that many columns of white space at their beginning. */
export const withoutColumns = (lines: readonly string[], columns: number): string[] =>
  columns === 0 ? [...lines] : lines.map((line) => withoutColumnsOf(line, columns));

function withoutColumnsOf(line: string, columns: number): string {
  let [at, removed] = [0, 0];
  while (removed < columns && (line[at] === ' ' || line[at] === '\t'))
    [at, removed] = [at + 1, removed + (line[at] === '\t' ? 4 : 1)];
  return line.slice(at);
}
