import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '../../config/paths.ts';
import { listNames, readOptional } from '../../infra/files.ts';
import { readUnattachedSegments, describeNewSegments } from './unattached-segments.ts';

const FOLDERS = ['/tmp', '/dev/shm', '/var/tmp'];
/** A run's directory goes a moment after its outcome is stored. */
const GONE_MS = 20_000;
const LEVELS = 5;

/** The segments that were there before the attacks. */
type Segments = Awaited<ReturnType<typeof readUnattachedSegments>>;

/** Files and processes with the mark, and segments, that attacks have left on this machine, in words; waits a while for them to go. */
export async function findLeftovers(home: string, mark: string, before: Segments): Promise<string[]> {
  const end = Date.now() + GONE_MS;
  for (;;) {
    const left = [
      ...filesIn(mark),
      ...(await runsWith(mark, homePaths(home).runs)),
      ...(await processesWith(mark)),
      ...describeNewSegments(before, await readUnattachedSegments()),
    ];
    if (left.length === 0 || Date.now() > end) return left;
    await sleep(200);
  }
}

const filesIn = (mark: string): string[] =>
  FOLDERS.flatMap((folder) => [join(folder, mark), join(folder, `${mark}.note`)]).filter((path) => existsSync(path));

async function runsWith(mark: string, folder: string, level = 0): Promise<string[]> {
  if (existsSync(join(folder, mark))) return [`the run directory ${folder}`];
  if (level === LEVELS) return [];
  // Not there: it is being removed meanwhile. Not readable: its run has closed it, and its name was looked at.
  const inside = await readdir(folder, { withFileTypes: true }).catch(unless('ENOENT', 'EACCES'));
  const found: string[] = [];
  for (const entry of inside)
    if (entry.isDirectory()) found.push(...(await runsWith(mark, join(folder, entry.name), level + 1)));
  return found;
}

/** No entries after one of these errors; any other goes on. */
const unless =
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
