/** A row that does not hold what its column is for; the message names it and says what to do. */
export class DamagedRowError extends Error {
  override readonly name = 'DamagedRowError';
  constructor(row: string, { column, expected, came }: { column: string; expected: string; came: unknown }) {
    const shown = String(JSON.stringify(came)).slice(0, 60);
    super(
      `${row} is damaged: expected ${expected} in the column ${column}, came ${shown}; restore the row from a backup`,
    );
  }
}
