import { BLAME, hostFaultOf } from './host-fault.ts';

/** The words of a host that failed, where the error is that; null for any other error. */
export function failedHost(error: unknown): string | null {
  const fault = hostFaultOf(error);
  return fault && BLAME[fault.code] === 'host' ? fault.message : null;
}
