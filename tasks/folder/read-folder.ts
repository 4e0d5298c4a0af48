import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathProblem } from '../../domain/text/path-problem.ts';

/** A file of a task: its path in its folder with forward slashes, and its bytes. */
export interface TaskFile {
  path: string;
  content: Uint8Array;
  executable: boolean;
}

export interface Folder {
  /** In the order of their paths. */
  files: TaskFile[];
  /** Symbolic links, path to target; none is followed. */
  links: Map<string, string>;
  /** Other entries that cannot be stored, with the reason and the advice. */
  refused: Refused[];
}

interface Refused {
  got: string;
  todo: string;
}

const RENAME = 'rename it, or make it in setup';
const SMALLER = 'keep what a run reads and move large data into setup, which prepares it once per host';

/** Limits of a folder that is stored with the task. Larger data belongs into `setup`. */
const LARGEST_FOLDER = 64 * 1024 * 1024;
const MOST_FILES = 2000;

/** Names that are left out everywhere: they change although the task does not. */
const LEFT_OUT = new Set(['.git', '.DS_Store', '__pycache__', '.perpetua']);

/** Reads all files of a folder, within the limits. Follows no link and opens only regular files. */
export async function readFolder(root: string): Promise<Folder> {
  const folder: Folder = { files: [], links: new Map(), refused: [] };
  const found = { bytes: 0, files: 0 };
  const pending = [''];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of await readdir(join(root, at), { withFileTypes: true, encoding: 'buffer' })) {
      const name = entry.name.toString();
      if (LEFT_OUT.has(name)) continue;
      const path = at === '' ? name : `${at}/${name}`;
      const odd = pathProblem(path);
      if (!Buffer.from(name).equals(entry.name))
        folder.refused.push({ got: `${escaped(at, entry.name)}: its name is no UTF-8`, todo: RENAME });
      else if (odd !== null) folder.refused.push({ got: `${JSON.stringify(path)}: ${odd}`, todo: RENAME });
      else if (entry.isDirectory()) pending.push(path);
      else if (entry.isSymbolicLink()) folder.links.set(path, await readlink(join(root, path)));
      else if (!entry.isFile()) folder.refused.push({ got: `${path} is no regular file`, todo: SMALLER });
      else {
        const { size, mode } = await lstat(join(root, path));
        found.bytes += size;
        found.files += 1;
        if (found.bytes > LARGEST_FOLDER || found.files > MOST_FILES) {
          folder.refused.push({ got: tooLarge(found), todo: SMALLER });
          return folder;
        }
        folder.files.push({ path, content: await readFile(join(root, path)), executable: (mode & 0o111) !== 0 });
      }
    }
  }
  folder.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return folder;
}

/** The path of a name that is no UTF-8, in quotes, with other bytes than printable ASCII as `\xff`. */
function escaped(folder: string, name: Buffer): string {
  const shown = [...name].map((byte) =>
    byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `"${folder === '' ? '' : `${folder}/`}${shown.join('')}"`;
}

const tooLarge = ({ bytes, files }: { bytes: number; files: number }): string =>
  `it holds more than ${files > MOST_FILES ? `${MOST_FILES} files` : `${LARGEST_FOLDER / 1024 / 1024} MiB`} ` +
  `(counted ${files} files, ${Math.ceil(bytes / 1024 / 1024)} MiB so far)`;
