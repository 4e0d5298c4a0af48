/** Work that fails again and again, and is tried again. */
export interface Failing {
  workflowId: string;
  /** Number of the trial; null for the research itself. */
  trial: number | null;
  /** Name of the activity; null where the workflow's own code fails. */
  activity: string | null;
  /** The attempt that runs or comes next. */
  attempt: number;
  /** Of the last failure. */
  message: string;
  /** When it was first tried, ISO; null where that is too long ago to be looked up. */
  since: string | null;
  /** Null while an attempt is under way, or where it is not known. */
  nextAttemptSeconds: number | null;
}

/** Fewer attempts are everyday: a worker that was stopped, a server that was away for a moment. */
export const FAILING_FROM_ATTEMPT = 3;
