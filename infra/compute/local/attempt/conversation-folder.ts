import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunSpec } from '../../../compute.ts';
import { copyTree, pathExists, writeFiles } from '../../../files.ts';
import type { Manifest } from '../stage.ts';
import { regularFile } from '../stage/is-unchanged.ts';

/**
 * Makes the folder of an answering program anew: the workspace as it was staged and set up, the candidate's files over it, and of
 * what its run left the declared artefacts alone, each within its bound. What was staged comes from the run's own copy, which was
 * compared when the run was collected: the stage may have been damaged since.
 */
export async function makeConversationFolder(
  folder: string,
  from: { files: string; work: string; manifest: Manifest | undefined; spec: Pick<RunSpec, 'files' | 'artefacts'> },
): Promise<void> {
  const { files, work, manifest = new Map<string, never>(), spec } = from;
  await copyTree(files, folder);
  const mutable = new Set(spec.files.map(({ path }) => path));
  for (const path of manifest.keys()) if (!mutable.has(path)) await bring(path, { from: work, to: folder });
  await writeFiles(folder, spec.files);
  for (const { path, maxBytes } of spec.artefacts ?? []) await bring(path, { from: work, to: folder, maxBytes });
}

/** Copies a regular file that is reached without a link; nothing where there is none, or a larger one. */
async function bring(path: string, { from, to, maxBytes = Infinity }: { from: string; to: string; maxBytes?: number }) {
  const file = await regularFile(from, path);
  if (file === undefined || !(await pathExists(file))) return;
  const info = await lstat(file);
  if (!info.isFile() || info.size > maxBytes) return;
  await makeWay(to, dirname(path));
  await rm(join(to, path), { recursive: true, force: true });
  await copyFile(file, join(to, path), constants.COPYFILE_FICLONE);
}

/** Folders down to a path; a link of the setup's there would lead out of the copy, and the run had a folder in its place. */
async function makeWay(root: string, path: string): Promise<void> {
  let at = root;
  for (const part of path === '.' ? [] : path.split('/')) {
    at = join(at, part);
    if ((await pathExists(at)) && !(await lstat(at)).isDirectory()) await rm(at);
    await mkdir(at, { recursive: true });
  }
}
