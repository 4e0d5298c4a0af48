/**
 * Faults of work on a host that are not a run's own doing. An adapter's error carries one of these as its `code`.
 * Errors of the system and of libraries have other codes.
 */
export const HOST_FAULTS = [
  /** The connection failed or was lost. */
  'host-unreachable',
  /** The host's key is not trusted. */
  'host-key',
  /** The host rejected all of our keys. */
  'host-auth',
  /** The entry of the host in the fleet cannot be used. */
  'host-config',
  /** The login works, but the host cannot do its work. */
  'host-unusable',
  /** The host has no trace of the run. */
  'run-gone',
  /** This worker does not know the host: it left the fleet, is not in it yet, or is another machine's own. */
  'host-unknown',
  /** Another process took the slot's GPU after the slot was lent. */
  'slot-taken',
  /** The workspace of the task is missing and can be staged again. */
  'stage-missing',
  /** A newer conversation with the run replaced this one. */
  'talk-replaced',
  /** The task requires a sandbox, and the host cannot provide one. */
  'no-sandbox',
  /** The task names a folder that no run may see on the host. */
  'cannot-show',
  /** The task's setup failed on the host. */
  'setup-failed',
] as const;

export type HostFaultCode = (typeof HOST_FAULTS)[number];

/** An error with the code of a host fault. */
export type HostFault = Error &
  (
    | { readonly code: Exclude<HostFaultCode, 'setup-failed'> }
    | { readonly code: 'setup-failed'; /** The last output of the setup. */ readonly logTail: string }
  );

const CODES: ReadonlySet<unknown> = new Set(HOST_FAULTS);

const isHostFault = (error: unknown): error is HostFault =>
  error instanceof Error && 'code' in error && CODES.has(error.code);

/** The error as a fault of a host; null for any other error. */
export const hostFaultOf = (error: unknown): HostFault | null => (isHostFault(error) ? error : null);

/** True if an error is the fault of a host with this code. */
export const isFault = (error: unknown, code: HostFaultCode): boolean => hostFaultOf(error)?.code === code;
