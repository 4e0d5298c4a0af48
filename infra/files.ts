import { constants, existsSync, type Stats } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, readlink, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { FileContent } from './compute.ts';

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');

/** The text of a file, or undefined where there is none (or its process has just gone). */
export async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')) return undefined;
    throw error;
  }
}

/** True if something of that name is there, be it a dangling link. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Names in a folder; none where it is absent. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Returns a path inside a workspace unchanged, or throws: absolute, `..`, empty parts, backslashes, NUL. */
export function requireInsidePath(path: string): string {
  const bad =
    path === '' || path.includes('\0') || path.includes('\\') || path.startsWith('/') || posix.normalize(path) !== path;
  if (bad || path === '.' || path.endsWith('/') || path.split('/').includes('..'))
    throw new Error(`file path: expected a relative path inside the workspace; got ${JSON.stringify(path)}`);
  return path;
}

/** Something else lies in the place of a file, or of one of its folders. */
export class PathTakenError extends Error {
  override name = 'PathTakenError';
}

/**
 * Writes files under a folder that only we can write; replaces what is there, never follows a link. A file that does not say
 * whether it may be executed may be where the one that it replaces might.
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

/** Whether a folder lies there, and no link to one. */
const isFolder = async (path: string): Promise<boolean> => (await infoOf(path))?.isDirectory() === true;

/** Whether a regular file with any executable bit lies there. */
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
      throw new PathTakenError(`file path: ${file} leads through a link, or through what is no folder`);
  }
}

/** Copies a tree: shared blocks where the file system can, links as links, and nothing but files, folders, links. */
export async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.isFile()) await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

/**
 * What the disk that a folder lies on, or will once it is made, has for us in all, in MiB; null where its file system does
 * not say.
 */
export async function diskSizeMb(folder: string): Promise<number | null> {
  const { blocks, bfree, bavail, bsize } = await statfs(nearest(folder));
  // What is kept for root is never free.
  const size = Math.floor(((blocks - bfree + bavail) * bsize) / 1024 / 1024);
  return size > 0 ? size : null;
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));
