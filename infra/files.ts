import { constants, existsSync, type Stats } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, readlink, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { FileContent } from './compute.ts';

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');

/** The text of a file; undefined if there is none, or if it is in `/proc` and its process has ended. */
export async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')) return undefined;
    throw error;
  }
}

/** True if the path exists; a dangling link counts. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Names in a folder; none if it is absent. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Returns a path inside a workspace. Throws if it is absolute or has `..`, empty parts, backslashes or NUL. */
export function requireInsidePath(path: string): string {
  const bad =
    path === '' || path.includes('\0') || path.includes('\\') || path.startsWith('/') || posix.normalize(path) !== path;
  if (bad || path === '.' || path.endsWith('/') || path.split('/').includes('..'))
    throw new Error(`file path: expected a relative path inside the workspace; got ${JSON.stringify(path)}`);
  return path;
}

/** A file cannot be written: its path is a folder, or one of its parents is a link or no folder. */
export class PathTakenError extends Error {
  override name = 'PathTakenError';
}

/**
 * Writes files under a folder that only this user can write. Replaces existing files, never follows a link. If
 * `executable` is undefined, a file keeps the executable bit of the file that it replaces.
 */
export async function writeFiles(folder: string, files: readonly FileContent[]): Promise<void> {
  for (const file of files) requireInsidePath(file.path);
  for (const file of files) {
    const target = join(folder, file.path);
    await makeFolders(folder, file.path);
    if (await isFolder(target)) throw new PathTakenError(`file path: ${file.path} is a folder`);
    const mode = (file.executable ?? (await isExecutable(target))) ? 0o755 : 0o644;
    await rm(target, { force: true });
    await writeFile(target, file.content, { flag: 'wx', mode });
  }
}

const infoOf = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  });

/** True if the path is a folder, not a link to one. */
const isFolder = async (path: string): Promise<boolean> => (await infoOf(path))?.isDirectory() === true;

/** True if the path is a regular file with an executable bit. */
async function isExecutable(path: string): Promise<boolean> {
  const info = await infoOf(path);
  return info?.isFile() === true && (info.mode & 0o111) !== 0;
}

// A link among the parents would lead out of the folder.
async function makeFolders(root: string, file: string): Promise<void> {
  let path = root;
  for (const part of file.split('/').slice(0, -1)) {
    path = join(path, part);
    if (!(await pathExists(path))) await mkdir(path, { recursive: true });
    if (!(await isFolder(path)))
      throw new PathTakenError(`file path: ${file} leads through a link, or a part of it is not a folder`);
  }
}

/** Copies the files, folders and links of a tree; shares blocks if the file system can. Links stay links. */
export async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const copy = join(target, entry.name);
    if (entry.isDirectory()) await copyTree(from, copy);
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), copy);
    else if (entry.isFile()) await copyFile(from, copy, constants.COPYFILE_FICLONE);
  }
}

/**
 * Size in MiB of the disk of a folder, which may not exist yet, without the blocks reserved for root; null if the file
 * system does not report it.
 */
export async function diskSizeMb(folder: string): Promise<number | null> {
  const { blocks, bfree, bavail, bsize } = await statfs(nearest(folder));
  const size = Math.floor(((blocks - bfree + bavail) * bsize) / 1024 / 1024);
  return size > 0 ? size : null;
}

/** The folder, or its nearest parent that exists. */
const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));
