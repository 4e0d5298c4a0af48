import { HostError, HostGoneError } from '../../infra/compute.ts';

/** The words of a host that failed, where the error is one. That we do not know a host is no fault of it: others may. */
export const faultOf = (error: unknown): string | null =>
  error instanceof HostError && !(error instanceof HostGoneError) ? error.message : null;
