import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunSpec } from '../../../compute.ts';
import { copyTree, pathExists, writeFiles } from '../../../files.ts';
import type { Manifest } from '../stage.ts';
import { regularFile } from '../stage/is-unchanged.ts';

/**
 * Makes a fresh folder for a conversation's program: the staged workspace as the setup left it, the candidate's files,
 * and the run's declared artefacts, each within its size limit. Staged files come from the run's copy, which `collect`
 * compared with the manifest, because the stage may have been damaged since then.
 */
export async function makeConversationFolder(
  folder: string,
  from: { files: string; work: string; manifest: Manifest | undefined; spec: Pick<RunSpec, 'files' | 'artefacts'> },
): Promise<void> {
  const { files, work, manifest = new Map<string, never>(), spec } = from;
  await copyTree(files, folder);
  const mutable = new Set(spec.files.map(({ path }) => path));
  for (const path of manifest.keys()) if (!mutable.has(path)) await copyRegularFile(path, { from: work, to: folder });
  await writeFiles(folder, spec.files);
  for (const { path, maxBytes } of spec.artefacts ?? [])
    await copyRegularFile(path, { from: work, to: folder, maxBytes });
}

/** Copies a regular file of at most `maxBytes` that no link leads to; does nothing if there is none. */
async function copyRegularFile(
  path: string,
  { from, to, maxBytes = Infinity }: { from: string; to: string; maxBytes?: number },
) {
  const file = await regularFile(from, path);
  if (file === undefined || !(await pathExists(file))) return;
  const info = await lstat(file);
  if (!info.isFile() || info.size > maxBytes) return;
  await makeParents(to, dirname(path));
  await rm(join(to, path), { recursive: true, force: true });
  await copyFile(file, join(to, path), constants.COPYFILE_FICLONE);
}

/**
 * Makes the folders down to a path. Replaces a link of the setup with a folder: the run had a folder there, and the
 * link would lead out of the copy.
 */
async function makeParents(root: string, path: string): Promise<void> {
  let folder = root;
  for (const part of path === '.' ? [] : path.split('/')) {
    folder = join(folder, part);
    if ((await pathExists(folder)) && !(await lstat(folder)).isDirectory()) await rm(folder);
    await mkdir(folder, { recursive: true });
  }
}
