import Table from 'cli-table3';

export type Cell = string | number | null;

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Prints a table to stdout, as {@link formatTable} writes it. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly Cell[])[]): void {
  process.stdout.write(`\n${formatTable(title, header, rows)}\n`);
}

/**
 * A table as plain aligned text: columns of numbers to the right, `–` for null, four significant digits for fractions.
 * Throws on a row with another number of cells than the header.
 */
export function formatTable(title: string, header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  for (const row of rows) {
    if (row.length === header.length) continue;
    throw new Error(`expected ${header.length} cells in each row of "${title}", got ${row.length}: ${row.join(', ')}`);
  }
  const table = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns: header.map((_name, column) => (isNumeric(rows, column) ? 'right' : 'left')),
  });
  const lines = [[...header], header.map((name) => '-'.repeat(name.length)), ...rows.map((row) => row.map(formatCell))];
  table.push(...lines);
  const text = table.toString().split('\n');
  return [title, ...text.map((line) => line.trimEnd())].join('\n');
}

function isNumeric(rows: readonly (readonly Cell[])[], column: number): boolean {
  return rows.some((row) => typeof row[column] === 'number') && rows.every((row) => typeof row[column] !== 'string');
}

function formatCell(cell: Cell): string {
  if (cell === null) return '–';
  if (typeof cell === 'string') return cell;
  return Number.isInteger(cell) || !Number.isFinite(cell) ? String(cell) : String(Number(cell.toPrecision(4)));
}
