import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Mode for folders that other users may pass through, to their runs, but not list. */
const PASS = 0o711;
/** Mode for folders of the owner only. */
const OWN = 0o700;

/** Modes of the folders of a home. */
const FOLDERS: Record<string, number> = {
  runs: PASS,
  stages: PASS,
  postgres: PASS,
  temporal: OWN,
  logs: OWN,
  checkpoints: OWN,
  dashboard: OWN,
};

/**
 * Removes the rights of other users on a home, which may come from a loose umask or an older version. A run with a user
 * of its own can still reach its directory. Files of other users stay unchanged.
 */
export function restrictHome(home: string): void {
  narrow(home, PASS);
  for (const [name, mode] of Object.entries(FOLDERS)) narrow(join(home, name), mode);
  // Earlier versions closed this folder to others, so that runs with a user of their own could not reach their data.
  widen(join(home, 'stages'), PASS);
  for (const stage of foldersIn(join(home, 'stages'))) {
    narrow(stage, PASS);
    narrow(join(stage, 'files'), OWN);
  }
  for (const installation of foldersIn(join(home, 'runs'))) {
    narrow(installation, PASS);
    for (const run of foldersIn(installation)) {
      narrow(run, PASS);
      for (const attempt of foldersIn(run)) closeAttempt(attempt);
    }
  }
}

/** Restricts a run's attempt that an earlier version made; leaves the contents of `work` and `tmp` to the run. */
function closeAttempt(attempt: string): void {
  narrow(attempt, PASS);
  for (const name of ['run.json', 'manifest.json']) narrow(join(attempt, name), 0o600);
  for (const name of ['work', 'tmp']) narrow(join(attempt, name), OWN);
}

/** Adds rights to a folder of this user. */
function widen(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() && mayChange(found.uid)) chmodSync(path, (found.mode & 0o7777) | mode);
}

/** Limits the rights on a file or folder to a mode; never through a link. */
function narrow(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink() || !mayChange(found.uid)) return;
  const kept = found.mode & 0o7777 & mode;
  if (kept !== (found.mode & 0o7777)) chmodSync(path, kept);
}

const mayChange = (owner: number): boolean => process.getuid?.() === 0 || process.getuid?.() === owner;

const foldersIn = (folder: string): string[] =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(folder, name))
    : [];
