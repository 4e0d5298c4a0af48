import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Others may pass on to what a run of theirs has there, and see no name. */
const PASS = 0o711;
const OWN = 0o700;

/** The folders of a home that others have a way through, or none. */
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
 * Takes from other users of this machine what they may see in a home, whatever umask or version made it. A run with a user
 * of its own still reaches its own directory. What is another user's is left.
 */
export function restrictHome(home: string): void {
  narrow(home, PASS);
  for (const [name, mode] of Object.entries(FOLDERS)) narrow(join(home, name), mode);
  // Earlier versions closed it to all, so that a run with a user of its own did not find its data.
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

/** Of a run that an earlier version laid out; what is in `work` and `tmp` is the run's own matter. */
function closeAttempt(attempt: string): void {
  narrow(attempt, PASS);
  for (const name of ['run.json', 'manifest.json']) narrow(join(attempt, name), 0o600);
  for (const name of ['work', 'tmp']) narrow(join(attempt, name), OWN);
}

/** Gives a folder of ours at least these rights. */
function widen(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() && mayChange(found.uid)) chmodSync(path, (found.mode & 0o7777) | mode);
}

/** Keeps of the rights on a file or folder only these; never through a link. */
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
