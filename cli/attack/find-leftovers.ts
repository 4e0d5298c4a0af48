import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../../config/paths.ts';
import { listNames, readOptional } from '../../infra/files.ts';
import { readUnattachedSegments, describeNewSegments } from './unattached-segments.ts';

const FOLDERS = ['/tmp', '/dev/shm', '/var/tmp'];
/** Longest wait for leftovers to go: a run's directory is removed shortly after its outcome is stored. */
const REMOVAL_WAIT_MS = 20_000;
/** Deepest level of the folder of runs that is searched for the mark. */
const LEVELS = 5;

type Segments = Awaited<ReturnType<typeof readUnattachedSegments>>;

/**
 * Finds files and processes with the mark on this machine, and shared memory segments that are not in `before`.
 * Waits for them to go. Returns the remaining leftovers in words.
 */
export async function findLeftovers(home: string, mark: string, before: Segments): Promise<string[]> {
  const end = Date.now() + REMOVAL_WAIT_MS;
  for (;;) {
    const leftovers = [
      ...filesIn(mark),
      ...(await runsWith(mark, homePaths(home).runs)),
      ...(await processesWith(mark)),
      ...describeNewSegments(before, await readUnattachedSegments()),
    ];
    if (leftovers.length === 0 || Date.now() > end) return leftovers;
    await sleep(200);
  }
}

const filesIn = (mark: string): string[] =>
  FOLDERS.flatMap((folder) => [join(folder, mark), join(folder, `${mark}.note`)]).filter((path) => existsSync(path));

async function runsWith(mark: string, folder: string, level = 0): Promise<string[]> {
  if (existsSync(join(folder, mark))) return [`the run directory ${folder}`];
  if (level === LEVELS) return [];
  // ENOENT: the folder was removed meanwhile. EACCES: its run has closed it; the check of its parent compared its name.
  const inside = await readdir(folder, { withFileTypes: true }).catch(emptyFor('ENOENT', 'EACCES'));
  const found: string[] = [];
  for (const entry of inside)
    if (entry.isDirectory()) found.push(...(await runsWith(mark, join(folder, entry.name), level + 1)));
  return found;
}

/** Handles an error of `readdir`: returns no entries for these error codes, throws any other error. */
const emptyFor =
  (...codes: string[]) =>
  (error: unknown): never[] => {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  };

async function processesWith(mark: string): Promise<string[]> {
  const ids = (await listNames('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const line = await readOptional(join('/proc', id, 'cmdline'));
      return line?.includes(mark) ? [`the process ${id}`] : [];
    }),
  );
  return found.flat();
}
