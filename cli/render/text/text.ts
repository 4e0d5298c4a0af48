const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NARROW = /\p{Mark}/u;

const cellsOf = (character: string): number => (NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Columns that a text without escape sequences takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The text cut to a width, with an ellipsis where something is missing. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += cellsOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The text with its beginning and, longer, its end: what a program complains of stands last. */
export function truncateMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const end = Math.floor((width - 1) * 0.6);
  const characters = [...text];
  const head = truncate(text, width - end).replace(/…$/, '');
  let [from, used] = [characters.length, 0];
  while (from > 0 && used + cellsOf(characters[from - 1] ?? '') <= end) used += cellsOf(characters[--from] ?? '');
  return width <= 0 ? '' : `${head}…${characters.slice(from).join('')}`;
}

/** The text filled up with spaces to a width. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Rows of columns under each other, two spaces between; the last column is free. A cell is cut to its column's limit. */
export function columns(rows: string[][], limits: number[] = []): string[] {
  const short = rows.map((row) => row.map((cell, index) => truncate(cell, limits[index] ?? Infinity)));
  const widths: number[] = [];
  for (const row of short)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
    });
  return short.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0))).join('  '),
  );
}
