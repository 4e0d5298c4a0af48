import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder a disk of its own, in memory; false where this user may not. */
export const mountSmallDisk = (folder: string, megabytes: number): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).status === 0;

/** Takes it away, also where something still uses it. */
export const unmount = (folder: string): void => void spawnSync('umount', ['--lazy', folder]);

/** Why tests cannot have small disks; undefined where they can. */
export const noSmallDisks = ((): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-disk-'));
  const works = mountSmallDisk(folder, 1);
  if (works) unmount(folder);
  rmdirSync(folder);
  return works ? undefined : '(mounting a small disk needs root)';
})();
