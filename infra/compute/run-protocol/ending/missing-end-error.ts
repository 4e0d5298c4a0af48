import { isIsolated } from '../../../../domain/fault/is-isolated.ts';
import { HostUnusableError, type Conversation, type RunSpec } from '../../../compute.ts';

/** Error for a conversation without an end. An isolated program cannot kill its supervisor: the host is at fault. */
export function missingEndError(
  { host, confinement }: Pick<Conversation, 'host' | 'confinement'>,
  spec: Pick<RunSpec, 'jobId'>,
  tail: string,
): Error {
  const supervisor = `the supervisor of a conversation with ${spec.jobId}`;
  const message = `${supervisor} left no end (killed, or a full disk?): ${tail}`;
  return isIsolated(confinement) ? new HostUnusableError(host, message) : new Error(message);
}
