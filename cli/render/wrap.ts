import { cut, widthOf } from './text.ts';

const BETWEEN = ' · ';

/** A text as lines of at most so many columns: it breaks between its parts where they fit, else between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of text.split(BETWEEN)) {
    if (join(lines, { part, between: BETWEEN, width })) continue;
    const [first = '', ...words] = part.split(' ');
    lines.push(first);
    for (const word of words) if (!join(lines, { part: word, between: ' ', width })) lines.push(word);
  }
  return lines.map((line) => cut(line, width));
}

/** Puts it behind the last line; false where that line has no room for it. */
function join(lines: string[], { part, between, width }: { part: string; between: string; width: number }): boolean {
  const longer = `${lines.at(-1) ?? ''}${between}${part}`;
  if (lines.length === 0 || widthOf(longer) > width) return false;
  lines[lines.length - 1] = longer;
  return true;
}
