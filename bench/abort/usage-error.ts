/** Error for a wrong command line, with a message for its author. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
