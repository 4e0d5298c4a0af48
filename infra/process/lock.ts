import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './identity.ts';

/** Another living process holds the lock. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  readonly holder: ProcessIdentity & { since: string };
  constructor(path: string, holder: ProcessIdentity & { since: string }) {
    super(`${path} is held by process ${holder.pid} since ${holder.since}`);
    this.holder = holder;
  }
}

/** Takes a lock file, also from a dead holder; returns the release. Throws LockHeldError. */
export function acquireLock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  const me = identify(process.pid);
  if (!me) throw new Error('Expected to read the start time of this process, could not.');
  const mine = `${path}.${process.pid}.${Math.trunc(performance.now() * 1000)}`;
  const text = JSON.stringify({ ...me, since: new Date().toISOString() });
  writeFileSync(mine, text, { mode: 0o600 });
  try {
    // A link makes the lock appear together with its content.
    while (!tryLink(mine, path)) removeIfStale(path);
  } finally {
    rmSync(mine, { force: true });
  }
  return () => {
    if (read(path) === text) rmSync(path, { force: true });
  };
}

/** The living process that holds a lock; undefined if there is none. */
export function lockHolder(path: string): (ProcessIdentity & { since: string }) | undefined {
  const found = read(path);
  const holder = found === undefined ? null : holderOf(found);
  return holder && isAlive(holder) ? holder : undefined;
}

function removeIfStale(path: string): void {
  const found = read(path);
  if (found === undefined) return;
  const holder = holderOf(found);
  if (holder && isAlive(holder)) throw new LockHeldError(path, holder);
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return; // another process was faster
    throw error;
  }
  // If another process took the lock between the check and the move, puts its lock back.
  if (read(aside) !== found) tryLink(aside, path);
  rmSync(aside, { force: true });
}

/** The holder that a lock file names; null if none, since a power cut can leave an empty file. */
function holderOf(text: string): (ProcessIdentity & { since: string }) | null {
  try {
    const holder = JSON.parse(text) as Partial<ProcessIdentity & { since: string }> | null;
    const { pid, startedAt, since = 'an unknown time' } = holder ?? {};
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt, since } : null;
  } catch {
    return null;
  }
}

function tryLink(existing: string, path: string): boolean {
  try {
    linkSync(existing, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
