/** The columns of white space that a line begins with; a tab has four. */
export function columnsOf(line: string): number {
  let columns = 0;
  for (let at = 0; line[at] === ' ' || line[at] === '\t'; at += 1) columns += line[at] === '\t' ? 4 : 1;
  return columns;
}

/** The columns by which lines stand in together with a mark that stands in by `most`: those that each of them has. */
export const sharedColumns = (lines: readonly string[], most: number): number =>
  lines.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, columnsOf(line))), most);

/** Lines without white space of so many columns at their beginning. */
export const withoutColumns = (lines: readonly string[], columns: number): string[] =>
  columns === 0 ? [...lines] : lines.map((line) => withoutColumnsOf(line, columns));

function withoutColumnsOf(line: string, columns: number): string {
  let [at, gone] = [0, 0];
  while (gone < columns && (line[at] === ' ' || line[at] === '\t'))
    [at, gone] = [at + 1, gone + (line[at] === '\t' ? 4 : 1)];
  return line.slice(at);
}
