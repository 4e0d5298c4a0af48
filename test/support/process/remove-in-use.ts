import { spawnSync } from 'node:child_process';
import { expect, vi } from 'vitest';

/** Removes a folder into which processes that are ending still write. */
export const removeInUse = (folder: string): Promise<void> =>
  vi.waitFor(() => expect(spawnSync('rm', ['-rf', folder]).status).toBe(0), { timeout: 60_000 });
