import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { homePaths } from '../../config/paths.ts';
import { listNames } from '../../infra/files.ts';

const ROTATED = /\.log\.\d+$/;

/** Removes staged workspaces that are not in `keepStages`, and rotated logs; returns their names. Younger ones stay. */
export async function removeOldFiles(options: {
  home: string;
  keepStages: string[];
  olderThanSeconds: number;
  dryRun: boolean;
}): Promise<{ stages: string[]; logs: string[] }> {
  const keep = new Set(options.keepStages);
  const stages = await removeOld(
    join(options.home, 'stages'),
    options,
    // A stage whose files are drawn for one installation has the name `<hash>_<mark>`.
    (name) => !name.startsWith('.') && !keep.has(name.split('_')[0] ?? name),
  );
  return { stages, logs: await removeOldLogs(options) };
}

/** Removes rotated logs; returns their names. */
export const removeOldLogs = (options: {
  home: string;
  olderThanSeconds: number;
  dryRun: boolean;
}): Promise<string[]> => removeOld(homePaths(options.home).logs, options, (name) => ROTATED.test(name));

/** Removes entries of a folder that are older than the limit and for which `wanted` is true; returns their names. */
export async function removeOld(
  folder: string,
  options: { olderThanSeconds: number; dryRun: boolean },
  wanted: (name: string) => boolean,
): Promise<string[]> {
  const removed: string[] = [];
  // Computed once: an entry that is made during the removal is too young.
  const before = Date.now() - options.olderThanSeconds * 1000;
  for (const name of (await listNames(folder)).filter(wanted)) {
    const path = join(folder, name);
    if ((await stat(path)).mtimeMs > before) continue;
    if (!options.dryRun) await rm(path, { recursive: true, force: true });
    removed.push(name);
  }
  return removed.sort();
}
