import { assertNever } from '../assert-never.ts';
import { type HostFaultCode, hostFaultOf } from './host-fault.ts';

/** The words of a host that failed, where the error is that; null for any other error. */
export function failedHost(error: unknown): string | null {
  const fault = hostFaultOf(error);
  return fault && isHosts(fault.code) ? fault.message : null;
}

/** That we do not know a host is no fault of it: others may. */
function isHosts(code: HostFaultCode): boolean {
  switch (code) {
    case 'host-unreachable':
    case 'host-key':
    case 'host-auth':
    case 'host-config':
    case 'host-unusable':
    case 'run-gone':
      return true;
    case 'host-unknown':
    case 'slot-taken':
    case 'stage-missing':
    case 'talk-replaced':
    case 'no-sandbox':
    case 'setup-failed':
      return false;
    default:
      return assertNever(code);
  }
}
