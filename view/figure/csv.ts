import { visible } from '../../domain/text/visible.ts';

/** A cell of a table. Null and numbers that are not finite become empty. Text may come from anyone. */
export type Cell = string | number | boolean | null | undefined;

/** A table with a header. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** Beginning of a text that a spreadsheet would evaluate as a formula, after any white space. */
const FORMULA = /^[\s]*[=+\-@|]/;

/** A table as CSV (RFC 4180). An apostrophe precedes text that a spreadsheet would evaluate. */
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
