/** Activity or workflow task that fails repeatedly and is retried. */
export interface Failing {
  workflowId: string;
  /** Number of the trial; null for the research itself. */
  trial: number | null;
  /** Name of the activity; null for a workflow task: the workflow's own code fails. */
  activity: string | null;
  /** The attempt that runs or comes next. */
  attempt: number;
  /** Message of the last failure. */
  message: string;
  /** Time of the first attempt, ISO 8601; null if it is too far back in the history. */
  since: string | null;
  /** Seconds until the next attempt; null during an attempt, or if it is not known. */
  nextAttemptSeconds: number | null;
}

/** Attempt from which work counts as failing. Fewer are normal: a worker stops, or a server is briefly unreachable. */
export const FAILING_FROM_ATTEMPT = 3;
