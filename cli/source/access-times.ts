import { lstat, lutimes, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Access time, before any real one, that a file gets so that the next access moves it. */
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

/** Facts about a file from before a command ran. */
export type Before = ReadonlyMap<string, { modified: number; inode: number }>;

/** Sets the access times of files far back. Their modification times stay: a build tool may compare them. */
export async function setAccessTimesBack(folder: string, paths: readonly string[]): Promise<Before> {
  const before = new Map<string, { modified: number; inode: number }>();
  for (const path of paths) {
    const file = join(folder, path);
    const info = await lstat(file).catch(ignoreMissing);
    if (info === undefined) continue;
    await lutimes(file, LONG_AGO, info.mtime);
    const { mtimeMs, ino } = await lstat(file);
    before.set(path, { modified: mtimeMs, inode: ino });
  }
  return before;
}

/** Uses of files by a command. */
export interface FileUse {
  /** Files that were read, mapped or executed. A missing file was removed or replaced, so it counts, too. */
  accessed: Set<string>;
  /** Files that were written without being read, even if their content is the same. */
  rewritten: Set<string>;
}

/** Reads what a command did with files since `setAccessTimesBack`, before anything else reads them. */
export async function readFileUse(folder: string, before: Before): Promise<FileUse> {
  const use: FileUse = { accessed: new Set(), rewritten: new Set() };
  for (const [path, { modified, inode }] of before) {
    const info = await lstat(join(folder, path)).catch(ignoreMissing);
    const isAccessed = info === undefined || info.atimeMs !== LONG_AGO.getTime();
    if (isAccessed) use.accessed.add(path);
    if (info !== undefined && info.mtimeMs !== modified && (!isAccessed || info.ino !== inode)) use.rewritten.add(path);
  }
  return use;
}

/** A new folder. `traced`: its file system moves the access time of a file that is read. */
export interface TraceFolder {
  folder: string;
  traced: boolean;
}

/** Makes a folder in the first parent whose file system moves access times; without one, in the first usable parent. */
export async function makeTraceFolder(parents: readonly string[]): Promise<TraceFolder> {
  let untraced: string | null = null;
  let failure: unknown = null;
  for (const parent of parents) {
    const folder = await mkdtemp(join(parent, 'perpetua-source-')).catch((error: unknown) => {
      failure ??= error;
      return null;
    });
    if (folder === null) continue;
    if (await movesAccessTimes(folder)) {
      if (untraced !== null) await rm(untraced, { recursive: true, force: true });
      return { folder, traced: true };
    }
    if (untraced === null) untraced = folder;
    else await rm(folder, { recursive: true, force: true });
  }
  if (untraced === null) throw failure;
  return { folder: untraced, traced: false };
}

/** Tests with a file of its own if a read in a folder moves the access time: a `noatime` mount moves none. */
async function movesAccessTimes(folder: string): Promise<boolean> {
  const name = 'probe';
  const file = join(folder, name);
  try {
    await writeFile(file, 'probe');
    const before = await setAccessTimesBack(folder, [name]);
    const unread = await readFileUse(folder, before);
    await readFile(file);
    const read = await readFileUse(folder, before);
    return unread.accessed.size === 0 && read.accessed.size === 1;
  } catch {
    return false; // A full or read-only file system.
  } finally {
    await rm(file, { force: true });
  }
}

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
};
