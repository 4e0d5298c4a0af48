/** Input that only the database shows to be invalid: the answer is the same as for any invalid input (400). */
export class RefusedInputError extends Error {
  override readonly name = 'RefusedInputError';
  /** Key of the input. */
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}
