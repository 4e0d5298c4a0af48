/** The database of DATABASE_URL cannot be used as it is. The message says what to change. */
export class RefusedDatabaseError extends Error {
  override readonly name = 'RefusedDatabaseError';
}
