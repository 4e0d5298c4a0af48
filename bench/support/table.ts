import { widthOf } from '../../cli/render/text/text.ts';

export type Cell = string | number | null;

/** Prints a table to stdout, in the form of {@link formatTable}. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly Cell[])[]): void {
  process.stdout.write(`\n${formatTable(title, header, rows)}\n`);
}

/**
 * Aligned text of a table: columns of numbers to the right, `–` for null, four significant digits for fractions.
 * Throws on a row with another number of cells than the header.
 */
export function formatTable(title: string, header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  for (const row of rows) {
    if (row.length === header.length) continue;
    throw new Error(`expected ${header.length} cells in each row of "${title}", got ${row.length}: ${row.join(', ')}`);
  }
  const lines = [header, header.map((name) => '-'.repeat(name.length)), ...rows.map((row) => row.map(formatCell))];
  const columns = header.map((_name, column) => ({
    width: Math.max(...lines.map((line) => widthOf(line[column] ?? ''))),
    isNumeric: isNumeric(rows, column),
  }));
  const text = lines.map((line) =>
    columns
      .map(({ width, isNumeric }, column) => {
        const cell = line[column] ?? '';
        const spaces = ' '.repeat(width - widthOf(cell));
        return isNumeric ? spaces + cell : cell + spaces;
      })
      .join('  ')
      .trimEnd(),
  );
  return [title, ...text].join('\n');
}

function isNumeric(rows: readonly (readonly Cell[])[], column: number): boolean {
  return rows.some((row) => typeof row[column] === 'number') && rows.every((row) => typeof row[column] !== 'string');
}

function formatCell(cell: Cell): string {
  if (cell === null) return '–';
  if (typeof cell === 'string') return cell;
  return Number.isInteger(cell) || !Number.isFinite(cell) ? String(cell) : String(Number(cell.toPrecision(4)));
}
