/** Why a message had no effect: the research refused it, nobody answered, or something failed. */
export type SteeringCode = 'refused' | 'unreachable' | 'failed';

/** Error of a message to a research. Its text is for the person who sent the message. */
export class SteeringError extends Error {
  override readonly name = 'SteeringError';
  readonly code: SteeringCode;
  constructor(code: SteeringCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
