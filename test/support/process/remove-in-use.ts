import { vi } from 'vitest';
import { removeTree } from '../../../infra/remove-tree.ts';

/** Removes a folder into which processes that are ending still write. */
export const removeInUse = (folder: string): Promise<void> => vi.waitFor(() => removeTree(folder), { timeout: 60_000 });
