import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { FileContent } from '../../compute.ts';
import { pathExists, writeFiles } from '../../files.ts';
import { removeTree } from '../../remove-tree.ts';
import { stageDirectory, type Layout } from '../run-protocol/paths.ts';
import { newStageId } from '../run-protocol/stage-id.ts';
import { idFileIn } from './stage/identity.ts';
import { lstatOptional, isExecutable } from './stage/lstat-optional.ts';

/** What a staged file is: size in bytes and SHA-256. What a run may not change is compared with it. */
export interface StagedFile {
  size: number;
  hash: string;
  /** Missing where it is not to be, where its disk has no such bits, and in stages of older versions. */
  executable?: true | undefined;
}

/** Staged files by path. */
export type Manifest = Map<string, StagedFile>;

/** Stages of older versions hold hashes alone. */
const Listed = z.record(
  z.string(),
  z.union([z.string(), z.object({ size: z.number(), hash: z.string(), executable: z.literal(true).optional() })]),
);

/** The parts of a stage: `files` is the pristine workspace, `data` what the setup commands made for all runs. */
export function stageParts(layout: Layout, stageHash: string): { root: string; files: string; data: string } {
  return stagePartsAt(stageDirectory(layout, stageHash));
}

/** The same of a stage wherever it lies. */
export const stagePartsAt = (root: string): { root: string; files: string; data: string } => ({
  root,
  files: join(root, 'files'),
  data: join(root, 'data'),
});

/** True once the workspace of that hash lies here. */
export const isStaged = (layout: Layout, stageHash: string): Promise<boolean> =>
  pathExists(stageDirectory(layout, stageHash));

/** Copies the workspace here, once per hash: into a temporary folder, then by rename, so that a half stage never shows. */
export async function stage(layout: Layout, stageHash: string, files: FileContent[]): Promise<void> {
  const target = stageDirectory(layout, stageHash);
  if (await pathExists(target)) return;
  const temporary = join(layout.stages, `.tmp-${randomUUID()}`);
  try {
    // A run with a user of its own finds its data there, and no name.
    await mkdir(temporary, { recursive: true, mode: 0o711 });
    await mkdir(join(temporary, 'files'), { mode: 0o700 });
    await mkdir(join(temporary, 'data'));
    await writeFiles(join(temporary, 'files'), files);
    const manifest: Manifest = new Map();
    for (const file of files) manifest.set(file.path, await describe(file, join(temporary, 'files', file.path)));
    await writeManifest(temporary, manifest);
    await writeFile(idFileIn(temporary), `${newStageId()}\n`);
    await rename(temporary, target);
  } catch (error) {
    await removeTree(temporary);
    // Somebody else was faster; what lies there has the same content.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Writes down what was staged: in the stage, and beside each run that is made from it. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(Object.fromEntries(manifest)), { mode: 0o600 });
}

/** What was staged by the list in a folder; undefined where that is gone, or cut. `files`: where sizes are asked for. */
export async function readManifest(folder: string, files: string): Promise<Manifest | undefined> {
  const listed = Listed.safeParse(await jsonIn(join(folder, 'manifest.json')));
  if (!listed.success) return undefined;
  const read = Object.entries(listed.data).map(async ([path, file]): Promise<[string, StagedFile]> => {
    return [path, typeof file === 'string' ? { size: await sizeOf(join(files, path)), hash: file } : file];
  });
  return new Map(await Promise.all(read));
}

/** What a file holds as JSON; undefined where it is gone, or is none. */
export async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isGone(error)) return undefined;
    throw error;
  }
}

// What the setup removed from the stage is of no size: no run has it unchanged.
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
