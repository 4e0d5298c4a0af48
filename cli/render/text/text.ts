/** East Asian ranges whose characters take two cells of a terminal, in regular expression syntax. */
const WIDE_RANGES = [
  String.raw`\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3`,
  String.raw`\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6`,
  String.raw`\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}`,
].join('');
const WIDE = new RegExp(String.raw`[${WIDE_RANGES}]|\p{Emoji_Presentation}`, 'u');
/** Combining marks, which take no cell. */
const COMBINING = /\p{Mark}/u;

function cellsOf(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Number of terminal cells that a text without escape sequences takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The text cut to a width in cells, with an ellipsis if it is cut. */
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

/** The text cut in its middle. Its end keeps more cells than its beginning: a program's error message ends a line. */
export function truncateMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const end = Math.floor((width - 1) * 0.6);
  const characters = [...text];
  const head = truncate(text, width - end).replace(/…$/, '');
  let [from, used] = [characters.length, 0];
  while (from > 0 && used + cellsOf(characters[from - 1] ?? '') <= end) used += cellsOf(characters[--from] ?? '');
  return width <= 0 ? '' : `${head}…${characters.slice(from).join('')}`;
}

/** The text padded with spaces to a width in cells. */
export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Aligns the cells of rows, with two spaces between columns. Cells are cut to their column's limit, in cells. */
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
