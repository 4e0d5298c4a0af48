/** The CLI that is downloaded or built; its server writes the database file. */
export const PINNED_CLI = '1.8.2';

export interface FindCliOptions {
  /** TEMPORAL_CLI_PATH; null: not set. */
  cliPath: string | null;
  /** Where a binary that was got here is kept: `<home>/bin/temporal`. */
  keptAt: string;
  /** For the PATH, compilers and downloads; no secrets. */
  env: Readonly<Record<string, string>>;
  /** A folder from which `@temporalio/testing` resolves. */
  packageRoot: string;
  onProgress: (progress: FindProgress) => void;
  /** Aborted: what is under way ends at once, leaves nothing behind, and the search fails with the reason. */
  signal?: AbortSignal;
}
export type FindProgress =
  | { step: 'download' }
  | { step: 'fetching'; bytes: number; elapsedSeconds: number }
  | { step: 'download-failed'; reason: string }
  | BuildProgress;

/** Where a build is: `count` modules downloaded or packages compiled of about `expected`. */
export interface BuildProgress {
  step: 'build-waiting' | 'downloading' | 'compiling';
  count: number;
  expected: number;
  elapsedSeconds: number;
}
