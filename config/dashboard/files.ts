import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../paths.ts';

/** Files in the dashboard's folder of a home. */
export const dashboardFiles = (home: string) => {
  const { dashboard } = homePaths(home);
  return {
    /** Secret path and token that let a person in. */
    secret: join(dashboard, 'secret.json'),
    /** Settings of the process that runs, or that is started next. */
    settings: join(dashboard, 'settings.json'),
    /** Address on which the running process listens. */
    listening: join(dashboard, 'listening.json'),
    /** Progress of the stack's start. */
    setup: join(dashboard, 'setup.json'),
    /** Page that lets a browser in, so that the token is in no argument. */
    open: join(dashboard, 'open.html'),
  };
};

/** Writes a file of that folder whole, by rename, readable by its owner only. */
export function writeDashboardFile(home: string, path: string, text: string): void {
  renameSync(draft(home, path, text), path);
}

/** Writes a file of that folder if it does not exist. Returns false if it exists; its content stays. */
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

/** Content of the file as JSON; undefined if there is no file, or no valid JSON in it. */
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
  // The folder may have existed, or a umask may have changed its mode.
  chmodSync(dashboard, 0o700);
  const next = `${path}.${randomUUID()}`;
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  chmodSync(next, 0o600);
  return next;
}
