import { isApart } from '../../../domain/is-apart.ts';
import { HostUnusableError, type RunSpec } from '../../compute.ts';
import type { RunHost } from './run-host.ts';

/** What to say of a supervisor of a conversation that left no end: only what is not held apart from it can have killed it. */
export async function withoutEnd(context: RunHost, spec: RunSpec, tail: string): Promise<Error> {
  const confinement = await context.confinement(spec.sandbox !== 'none');
  const message = `the supervisor of a conversation with ${spec.trialId} left no end (killed, or a full disk?): ${tail}`;
  return isApart(confinement) ? new HostUnusableError(context.host, message) : new Error(message);
}
