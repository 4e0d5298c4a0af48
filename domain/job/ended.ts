/** How a job came to its end: by itself, which a server never does, or why not. */
export interface JobEnding {
  why: 'ended' | 'cancelled' | 'machine-lost' | 'contended' | 'setup-failed' | 'tools-missing' | 'failed';
  detail: string | null;
}

/** The end of a job as people and scripts are told of it. */
export interface JobEnded extends JobEnding {
  /** Where it ran last. */
  host: string | null;
  /** How its last run ended; null where none did. `reason`: `exit`, or the limit that it met. */
  end: { reason: string; exitCode: number | null; signal: string | null; seconds: number } | null;
}
