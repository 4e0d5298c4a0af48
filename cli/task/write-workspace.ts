import { chmod, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { refused } from '../errors.ts';
import { makeFolder } from './make-folder.ts';

/** Writes files into a new or empty folder and returns their paths. Never overwrites a file. */
export async function writeWorkspace(folder: string, files: WorkspaceFile[]): Promise<string[]> {
  const root = resolve(folder);
  await refuseFull(root, folder);
  await addFiles(root, files);
  return files.map((file) => file.path);
}

/** Writes files into a folder. Never overwrites a file. */
export async function addFiles(folder: string, files: readonly WorkspaceFile[]): Promise<void> {
  const root = resolve(folder);
  for (const file of files) {
    const path = join(root, file.path);
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep))
      throw refused(`Expected a path inside the workspace, got ${JSON.stringify(file.path)}.`);
    await makeFolder(dirname(path));
    await writeFile(path, file.content, { flag: 'wx' });
    if (file.executable) await chmod(path, 0o755);
  }
}

/** Makes the folder if it is missing. Refuses a folder with entries, and a file. */
async function refuseFull(root: string, shown: string): Promise<void> {
  await makeFolder(root);
  const entries = await readdir(root);
  if (entries.length > 0)
    throw refused(`Expected ${shown} to be new or empty, it holds ${entries.length} entries. Name another folder.`);
}
