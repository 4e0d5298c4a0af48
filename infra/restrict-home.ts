import { execFileSync } from 'node:child_process';
import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mayChange, widen } from './make-open-folder.ts';

/** Mode for folders that other users may pass through, to their runs, but not list. */
const PASS = 0o711;
/** Mode for folders of the owner only. */
const OWN = 0o700;

/** Mode for files of the owner only. */
const OWN_FILE = 0o600;
/** Files of a stage that only the worker reads. */
const WORKERS_FILES = ['manifest.json', 'stage-id', 'listing.json', 'prepared'];

/** Mode that lets no other user write. */
const UNWRITABLE = 0o7755;
/** Rights of other users on a folder that they read. */
const READ = 0o055;

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
 * Sets the modes of a home, which an earlier start under another umask, or an older version, may have made differently.
 * Other users lose their rights, but a run with a user of its own can reach its directory and its data. Files of other
 * users stay unchanged.
 */
export function restrictHome(home: string): void {
  narrow(home, PASS);
  // Only root gives runs and Postgres users of their own, which have to pass through the home.
  if (process.getuid?.() === 0) widen(home, PASS);
  for (const name of namesIn(home)) narrow(join(home, name), FOLDERS[name] ?? UNWRITABLE);
  for (const name of ['runs', 'stages', 'postgres']) widen(join(home, name), PASS);
  for (const stage of foldersIn(join(home, 'stages'))) {
    setMode(stage, PASS);
    narrow(join(stage, 'files'), OWN);
    for (const name of WORKERS_FILES) narrow(join(stage, name), OWN_FILE);
    openData(join(stage, 'data'));
  }
  for (const installation of foldersIn(join(home, 'runs'))) {
    setMode(installation, PASS);
    for (const run of foldersIn(installation)) {
      setMode(run, PASS);
      for (const attempt of foldersIn(run)) closeAttempt(attempt);
    }
  }
}

/** Lets all users read what a setup made under a closed umask: its files are as closed as their folder. */
function openData(data: string): void {
  const found = lstatSync(data, { throwIfNoEntry: false });
  if (!found?.isDirectory() || (found.mode & READ) === READ || !mayChange(found.uid)) return;
  // chmod -R follows no link.
  execFileSync('chmod', ['-R', 'a+rX', '--', data], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Restricts a run's attempt that an earlier version made; leaves the contents of `work` and `tmp` to the run. */
function closeAttempt(attempt: string): void {
  setMode(attempt, PASS);
  for (const name of ['run.json', 'manifest.json']) narrow(join(attempt, name), OWN_FILE);
  for (const name of ['work', 'tmp']) narrow(join(attempt, name), OWN);
}

/** Gives a folder exactly this mode. */
function setMode(folder: string, mode: number): void {
  narrow(folder, mode);
  widen(folder, mode);
}

/** Limits the rights on a file or folder to a mode; never through a link. */
function narrow(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink() || !mayChange(found.uid)) return;
  const kept = found.mode & 0o7777 & mode;
  if (kept !== (found.mode & 0o7777)) chmodSync(path, kept);
}

const foldersIn = (folder: string): string[] =>
  entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));

const namesIn = (folder: string): string[] => entriesOf(folder).map(({ name }) => name);

const entriesOf = (folder: string): Dirent[] =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
