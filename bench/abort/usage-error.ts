/** A command line that cannot be followed: its message is for the one who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
