import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../paths.ts';

/** What lies in the dashboard's folder of a home. */
export const dashboardFiles = (home: string) => {
  const { dashboard } = homePaths(home);
  return {
    /** Path and token that let a person in. */
    secret: join(dashboard, 'secret.json'),
    /** What the process that is started next, or runs, is told. */
    settings: join(dashboard, 'settings.json'),
    /** Where the process that runs listens. */
    listening: join(dashboard, 'listening.json'),
    /** How the start of the stack goes. */
    setup: join(dashboard, 'setup.json'),
    /** Takes a browser in, so that the token is in no argument. */
    open: join(dashboard, 'open.html'),
  };
};

/** Writes a file of that folder whole, by rename, for its owner's eyes only. */
export function writeDashboardFile(home: string, path: string, text: string): void {
  renameSync(draft(home, path, text), path);
}

/** The same where no file is there yet; false where one is, which stays. */
export function writeDashboardFileOnce(home: string, path: string, text: string): boolean {
  const next = draft(home, path, text);
  try {
    linkSync(next, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(next, { force: true });
  }
}

/** The file as JSON; undefined where there is none, or none that can be read. */
export function readDashboardFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function draft(home: string, path: string, text: string): string {
  const { dashboard } = homePaths(home);
  mkdirSync(dashboard, { recursive: true, mode: 0o700 });
  // One that was there, or that a umask has opened or closed further.
  chmodSync(dashboard, 0o700);
  const next = `${path}.${randomUUID()}`;
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  chmodSync(next, 0o600);
  return next;
}
