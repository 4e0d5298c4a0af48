import { HostUnusableError, type RunSpec } from '../../compute.ts';
import type { RunHost } from './run-host.ts';

/** What to say of a supervisor of a conversation that left no end: only without a sandbox the program can have killed it. */
export async function withoutEnd(context: RunHost, spec: RunSpec, tail: string): Promise<Error> {
  const { containment } = await context.confinement(spec.sandbox !== 'none');
  const message = `the supervisor of a conversation with ${spec.trialId} left no end (killed, or a full disk?): ${tail}`;
  return containment === 'process-group' ? new Error(message) : new HostUnusableError(context.host, message);
}
