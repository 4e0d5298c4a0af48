import { visible } from '../../domain/text/visible.ts';

/** A cell: numbers as they are, null and what is not finite are empty. Text may be anybody's. */
export type Cell = string | number | boolean | null | undefined;

/** Rows below a line of names. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** First characters by which a spreadsheet takes a text for a formula; tab and line break let one follow. */
const FORMULA = /^[\s]*[=+\-@|]/;

/** A table as RFC 4180 has it. A text that a spreadsheet would compute gets an apostrophe in front. */
export const csvText = ({ columns, rows }: Table): string =>
  [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  if (typeof cell === 'boolean') return String(cell);
  const shown = visible(cell);
  const guarded = FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
