import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder a disk of its own, in memory, with room for so many files. False if this user may not. */
export function mountSmallDisk(folder: string, megabytes: number, files?: number): boolean {
  const options = `size=${megabytes}m${files === undefined ? '' : `,nr_inodes=${files}`}`;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0;
}

/** Makes empty files in a new folder of a disk until there is no inode left. */
export function useUpFiles(folder: string): void {
  mkdirSync(folder);
  for (let n = 0; ; n += 1)
    try {
      writeFileSync(join(folder, String(n)), '');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
}

/** Unmounts a disk, even if something still uses it. */
export const unmount = (folder: string): void => void spawnSync('umount', ['--lazy', folder]);

/** Reason why tests cannot have small disks; undefined if they can. */
export const noSmallDisks = ((): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-disk-'));
  const works = mountSmallDisk(folder, 1);
  if (works) unmount(folder);
  rmdirSync(folder);
  return works ? undefined : '(mounting a small disk needs root)';
})();
