import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and the missing folders above it, with exactly this mode. `mkdir` alone takes the bits of the umask
 * away, so under umask 077 no user of a run and no user of Postgres could enter. Existing folders keep their modes.
 */
export function makeOpenFolder(path: string, mode: number): void {
  const first = mkdirSync(path, { recursive: true, mode });
  if (first === undefined) return;
  const top = resolve(first);
  for (let folder = resolve(path); folder.length >= top.length; folder = dirname(folder)) chmodSync(folder, mode);
}

/** Makes a folder like `makeOpenFolder`; adds the bits of the mode that an existing one lacks. */
export function openFolder(path: string, mode: number): void {
  makeOpenFolder(path, mode);
  widen(path, mode);
}

/** Adds the bits of a mode that a folder of this user lacks, since an earlier umask closed it; never through a link. */
export function widen(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory() || (found.mode & mode) === mode) return;
  if (mayChange(found.uid)) chmodSync(path, (found.mode & 0o7777) | mode);
}

/** True if this process may change the mode of a file of that owner. */
export const mayChange = (owner: number): boolean => process.getuid?.() === 0 || process.getuid?.() === owner;

/** Takes the right to write from other users for all files that this process and its children make by default. */
export function closeUmask(): void {
  process.umask(process.umask() | 0o022);
}
