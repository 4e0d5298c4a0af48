/** Inserts lines after the first `count` lines of a text. */
export function insertBehind(text: string, count: number, lines: string): string {
  const all = text.split('\n');
  return [...all.slice(0, count), lines, ...all.slice(count)].join('\n');
}

/** Number of lines that must stay first: `#!`, and lines that the language requires there (`isHead`). */
export function headOf(text: string, isHead: (line: string) => boolean = () => false): number {
  const lines = text.split('\n');
  let count = 0;
  while (count < lines.length && ((count === 0 && lines[0]?.startsWith('#!')) || isHead(lines[count] ?? '')))
    count += 1;
  return count;
}
