/**
 * The reason why a job ended. A server never has the reason `ended`: the job restarts a server that exits. `replaced`:
 * another arm of a mixture got the trial of the job, which may be reopened.
 */
export interface JobEnding {
  why: 'ended' | 'cancelled' | 'machine-lost' | 'contended' | 'setup-failed' | 'tools-missing' | 'failed' | 'replaced';
  detail: string | null;
}

/** The end of a job, as commands print it for people and scripts. */
export interface JobEnded extends JobEnding {
  /** The host of its last run. */
  host: string | null;
  /** The end of its last run; null if no run has ended. `reason` is `exit`, or the limit that the run exceeded. */
  end: { reason: string; exitCode: number | null; signal: string | null; seconds: number } | null;
}
