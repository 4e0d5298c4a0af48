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

/** The same in so many lines at most; the last one is cut where that is too few. */
export function wrapTo(text: string, { width, lines }: { width: number; lines: number }): string[] {
  const wrapped = wrap(text, width);
  if (wrapped.length <= lines) return wrapped;
  // What is left counts as one text: the parts between which it broke are no news any more.
  const head = wrapped.slice(0, lines - 1);
  return [...head, cut(wrapped.slice(lines - 1).join(' '), width)];
}

/** Puts it behind the last line; false where that line has no room for it. */
function join(lines: string[], { part, between, width }: { part: string; between: string; width: number }): boolean {
  const longer = `${lines.at(-1) ?? ''}${between}${part}`;
  if (lines.length === 0 || widthOf(longer) > width) return false;
  lines[lines.length - 1] = longer;
  return true;
}
