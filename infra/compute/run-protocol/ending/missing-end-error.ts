import { isIsolated } from '../../../../domain/fault/is-isolated.ts';
import { HostUnusableError, type Conversation, type RunSpec } from '../../../compute.ts';

/** What to say of a supervisor of a conversation that left no end: only what is not held apart from it can have killed it. */
export function missingEndError(
  { host, confinement }: Pick<Conversation, 'host' | 'confinement'>,
  spec: Pick<RunSpec, 'trialId'>,
  tail: string,
): Error {
  const message = `the supervisor of a conversation with ${spec.trialId} left no end (killed, or a full disk?): ${tail}`;
  return isIsolated(confinement) ? new HostUnusableError(host, message) : new Error(message);
}
