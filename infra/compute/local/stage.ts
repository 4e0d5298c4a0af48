import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { FileContent } from '../../compute.ts';
import { pathExists, writeFiles } from '../../files.ts';
import { makeOpenFolder } from '../../make-open-folder.ts';
import { removeTree } from '../../remove-tree.ts';
import { stageDirectory, type Layout } from '../run-protocol/paths.ts';
import { newStageId } from '../run-protocol/stage-id.ts';
import { idFileIn } from './stage/identity.ts';
import { lstatOptional, isExecutable } from './stage/lstat-optional.ts';

/** Size in bytes and SHA-256 of a staged file, with which the file is compared after a run. */
export interface StagedFile {
  size: number;
  hash: string;
  /** Absent if the file is not executable, if the disk has no such bits, and in stages of older versions. */
  executable?: true | undefined;
}

/** Staged files by path. */
export type Manifest = Map<string, StagedFile>;

/** Content of `manifest.json`. Manifests of older versions have only hashes. */
const Listed = z.record(
  z.string(),
  z.union([z.string(), z.object({ size: z.number(), hash: z.string(), executable: z.literal(true).optional() })]),
);

/** Mode of files that only the worker reads: others may pass through the folder of a stage, to its data. */
export const OWNER_ONLY = { mode: 0o600 };

/** The parts of a stage: `files` is the workspace, `data` the files that the setup made for all runs. */
export function stageParts(layout: Layout, stageHash: string): { root: string; files: string; data: string } {
  return stagePartsAt(stageDirectory(layout, stageHash));
}

/** The parts of a stage in any folder, such as one that was set aside. */
export const stagePartsAt = (root: string): { root: string; files: string; data: string } => ({
  root,
  files: join(root, 'files'),
  data: join(root, 'data'),
});

/** True if this machine has the workspace of that hash. */
export const isStaged = (layout: Layout, stageHash: string): Promise<boolean> =>
  pathExists(stageDirectory(layout, stageHash));

/** Copies a workspace into a temporary folder and renames that, so that no incomplete stage shows. Once per hash. */
export async function stage(layout: Layout, stageHash: string, files: FileContent[]): Promise<void> {
  const target = stageDirectory(layout, stageHash);
  if (await pathExists(target)) return;
  const temporary = join(layout.stages, `.tmp-${randomUUID()}`);
  try {
    // Mode 711: a run with a user of its own reaches `data` and cannot list the stage.
    makeOpenFolder(temporary, 0o711);
    await mkdir(join(temporary, 'files'), { mode: 0o700 });
    makeOpenFolder(join(temporary, 'data'), 0o755);
    await writeFiles(join(temporary, 'files'), files);
    const manifest: Manifest = new Map();
    for (const file of files) manifest.set(file.path, await describe(file, join(temporary, 'files', file.path)));
    await writeManifest(temporary, manifest);
    await writeFile(idFileIn(temporary), `${newStageId()}\n`, OWNER_ONLY);
    await rename(temporary, target);
  } catch (error) {
    await removeTree(temporary);
    // Another process made the stage meanwhile; its content is the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Writes the manifest into a stage, or beside a run that is made from it. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(Object.fromEntries(manifest)), OWNER_ONLY);
}

/** Reads the manifest in a folder; undefined if it is gone or incomplete. `files`: folder for sizes that it lacks. */
export async function readManifest(folder: string, files: string): Promise<Manifest | undefined> {
  const listed = Listed.safeParse(await jsonIn(join(folder, 'manifest.json')));
  if (!listed.success) return undefined;
  const read = Object.entries(listed.data).map(async ([path, file]): Promise<[string, StagedFile]> => {
    return [path, typeof file === 'string' ? { size: await sizeOf(join(files, path)), hash: file } : file];
  });
  return new Map(await Promise.all(read));
}

/** Reads a file as JSON; undefined if it is gone or is no JSON. */
export async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isGone(error)) return undefined;
    throw error;
  }
}

// -1 for a file that the setup removed from the stage: it equals no size, so no run has the file unchanged.
async function sizeOf(file: string): Promise<number> {
  const info = await stat(file).catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });
  return info?.size ?? -1;
}

const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

async function describe({ content, executable = false }: FileContent, written: string): Promise<StagedFile> {
  const described = { size: content.length, hash: createHash('sha256').update(content).digest('hex') };
  return executable && isExecutable(await lstatOptional(written)) ? { ...described, executable } : described;
}
