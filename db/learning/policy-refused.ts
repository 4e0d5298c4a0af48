/** A person's wish that cannot be followed; the message says why, and what can be done. */
export class PolicyRefusedError extends Error {
  override readonly name = 'PolicyRefusedError';
}
