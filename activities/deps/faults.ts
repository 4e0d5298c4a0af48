/** A host that works, but not for this task: it lacks the sandbox or the memory, or the task's setup fails there. */
export interface HostRefusal {
  /** How the trial ends if hosts go on refusing it. */
  why: 'failed' | 'setup-failed';
  detail: string;
  /** Hosts of the pool that serve now. */
  hosts: number;
}

/** Reads errors of hosts. */
export interface Faults {
  /** What a host refused to a task that may go through elsewhere, where the error is one; null for any other. */
  hostRefusal: (error: unknown) => Omit<HostRefusal, 'hosts'> | null;
  /** Whether somebody else has taken the GPU of a slot since it was lent. */
  isTaken: (error: unknown) => boolean;
  /** The words of a host that failed, where the error is one; null for any other error. */
  hostFault: (error: unknown) => string | null;
  /** Whether this worker does not know a host: it is not in the fleet any more, or not yet, or is another machine's own. */
  isHostUnknown: (error: unknown) => boolean;
  /** Whether nothing is left of a run that was there. */
  isRunGone: (error: unknown) => boolean;
  /** Whether a host lacks the workspace of a task, which can be staged there once more. */
  isStageMissing: (error: unknown) => boolean;
  /** Whether such a host was reached, and could not do what was asked. */
  hostAnswers: (error: unknown) => boolean;
}
