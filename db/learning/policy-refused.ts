/** Refusal of a person's request about a policy. The message has the reason and the remedy. */
export class PolicyRefusedError extends Error {
  override readonly name = 'PolicyRefusedError';
}
