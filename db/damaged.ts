/** A stored row whose column has no valid value. The message names the row and the remedy. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';
  constructor(row: string, { column, expected, got }: { column: string; expected: string; got: unknown }) {
    const shown = String(JSON.stringify(got)).slice(0, 60);
    super(
      `${row} is damaged: expected ${expected} in the column ${column}, got ${shown}; restore the row from a backup`,
    );
  }
}
