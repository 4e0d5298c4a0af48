import { hostFaultOf } from '../../domain/fault/host-fault.ts';
import { unseenBySetup } from '../../domain/tools/unseen-by-setup.ts';

/** A failure of a setup with what to do, where it asked for mutable files; any other error as it is. */
export function withUnseen(error: unknown, mutablePaths: readonly string[]): unknown {
  const fault = hostFaultOf(error);
  if (fault?.code !== 'setup-failed') return error;
  const advice = unseenBySetup({ message: fault.message, log: fault.logTail }, mutablePaths);
  return advice === null ? error : Object.assign(fault, { message: `${fault.message}\n${advice}` });
}
