import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { exclusionReason } from '../../domain/source/exclusion-reason.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { refused } from '../errors.ts';

/** Most bytes of all files together. */
const LARGEST = 64 * 1024 * 1024;
const MOST_FILES = 2000;

export interface Source {
  /** Absolute path without symbolic links. */
  root: string;
  /** Files sorted by path. */
  files: WorkspaceFile[];
  /** Paths of files that may hold keys or passwords: no part of the task. */
  secrets: string[];
  /** Paths of symbolic links, which a task cannot hold. */
  links: string[];
}

/** Reads the files of a program's folder. Refuses a folder that no task can be made of before it reads the files. */
export async function readSource(folder: string): Promise<Source> {
  const root = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw refused(`--source: there is no folder ${folder}; correct the path`);
    throw refused(`--source: the folder ${folder} cannot be read (${error.message})`);
  });
  if (!(await lstat(root)).isDirectory()) throw refused(`--source: ${folder} is a file; name its folder`);
  const home = await realpath(homedir()).catch(() => homedir());
  if (home === root || home.startsWith(root.endsWith(sep) ? root : root + sep))
    throw refused(
      `--source: expected the folder of one program, but ${root} is your home folder or holds it. ` +
        "Name the program's own folder.",
    );
  const source: Source = { root, files: [], secrets: [], links: [] };
  await walk(source);
  if (source.files.length === 0) throw refused(`--source: expected a program in ${root}, found no file.`);
  source.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return source;
}

/** Files that mark folders of others: earlier tasks that were made of this program, and environments of Python. */
const MARKS = ['task.yaml', 'pyvenv.cfg', 'conda-meta'];
const isOther = (folder: string): boolean => MARKS.some((name) => existsSync(join(folder, name)));

async function walk(source: Source): Promise<void> {
  const { root } = source;
  let bytes = 0;
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const absolute = join(folder, entry.name);
      const path = relative(root, absolute).replaceAll(sep, '/');
      const exclusion = exclusionReason(path);
      if (exclusion === 'secret') source.secrets.push(path);
      if (exclusion !== null) continue;
      if (entry.isSymbolicLink()) source.links.push(path);
      else if (entry.isDirectory() && !isOther(absolute)) pending.push(absolute);
      else if (entry.isFile()) {
        const { size, mode } = await lstat(absolute);
        bytes += size;
        if (bytes > LARGEST || source.files.length >= MOST_FILES)
          throw refused(
            `--source: expected at most ${MOST_FILES} files and 64 MiB, but ${root} holds more ` +
              `(the limit was reached at ${path}). Move data out of the folder, and let the run read it from there.`,
          );
        source.files.push({ path, content: await readFile(absolute), executable: (mode & 0o111) !== 0 });
      }
    }
  }
}
