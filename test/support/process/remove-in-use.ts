import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';

/** Removes a folder into which processes that are ending still write. */
export const removeInUse = (folder: string): Promise<void> =>
  expect.poll(() => spawnSync('rm', ['-rf', folder]).status, { timeout: 60_000 }).toBe(0);
