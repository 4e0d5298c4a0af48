/**
 * How work on a host fails that is not a run's own doing. An adapter's error carries one of these as its `code`; errors of
 * the system and of libraries have codes of their own, and none of these.
 */
export const HOST_FAULTS = [
  /** No connection, or it was lost. */
  'host-unreachable',
  /** The host showed a key that nobody has vouched for. */
  'host-key',
  /** The host refused every key that we have. */
  'host-auth',
  /** The entry of the host in the fleet cannot be used. */
  'host-config',
  /** We are in, and the host cannot do its work. */
  'host-unusable',
  /** Nothing is left there of a run. */
  'run-gone',
  /** This worker does not know the host: it is not in the fleet any more, or not yet, or is another machine's own. */
  'host-unknown',
  /** The GPU of a slot was taken by another process since it was lent. */
  'slot-taken',
  /** The workspace of a task is not there, and can be staged once more. */
  'stage-missing',
  /** Another conversation with the run was begun. */
  'talk-replaced',
  /** A sandbox is required, and the host can give none. */
  'no-sandbox',
  /** The task names a folder that no run may see there. */
  'cannot-show',
  /** The task's setup failed there. */
  'setup-failed',
] as const;

export type HostFaultCode = (typeof HOST_FAULTS)[number];

/** An error with such a code. */
export type HostFault = Error &
  (
    | { readonly code: Exclude<HostFaultCode, 'setup-failed'> }
    | { readonly code: 'setup-failed'; /** The last output of the setup. */ readonly logTail: string }
  );

const CODES: ReadonlySet<unknown> = new Set(HOST_FAULTS);

const isHostFault = (error: unknown): error is HostFault =>
  error instanceof Error && 'code' in error && CODES.has(error.code);

/** The fault of a host that an error is; null for any other error. */
export const hostFaultOf = (error: unknown): HostFault | null => (isHostFault(error) ? error : null);

/** Whether an error is that fault of a host. */
export const isFault = (error: unknown, code: HostFaultCode): boolean => hostFaultOf(error)?.code === code;
