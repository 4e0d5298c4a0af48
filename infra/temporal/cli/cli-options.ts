/** Version of the CLI to download or build; its server version determines the format of the database file. */
export const PINNED_CLI = '1.8.2';

export interface FindCliOptions {
  /** TEMPORAL_CLI_PATH; null: not set. */
  cliPath: string | null;
  /** Path of the downloaded or built binary: `<home>/bin/temporal`. */
  keptAt: string;
  /** Variables for the PATH, compilers and downloads; no secrets. */
  env: Readonly<Record<string, string>>;
  /** A folder from which `@temporalio/testing` resolves. */
  packageRoot: string;
  onProgress: (progress: FindProgress) => void;
  /** Ends a download or build at once, without leftovers; the search then fails with the signal's reason. */
  signal?: AbortSignal;
}
export type FindProgress =
  | { step: 'download' }
  | { step: 'fetching'; bytes: number; elapsedSeconds: number }
  | { step: 'download-failed'; reason: string }
  | BuildProgress;

/** Progress of a build: `count` modules downloaded, or packages compiled, of about `expected`. */
export interface BuildProgress {
  step: 'build-waiting' | 'downloading' | 'compiling';
  count: number;
  expected: number;
  elapsedSeconds: number;
}
