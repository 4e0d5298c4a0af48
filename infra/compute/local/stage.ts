import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { FileContent } from '../../compute.ts';
import { isThere, removeTree, writeFiles } from '../../files.ts';
import { stageDirectory, type Layout } from '../run-protocol/paths.ts';

/** What a staged file is: size in bytes and SHA-256. What a run may not change is compared with it. */
export interface StagedFile {
  size: number;
  hash: string;
}

/** Staged files by path; stages of older versions hold hashes alone. */
const Manifest = z.record(z.string(), z.union([z.string(), z.object({ size: z.number(), hash: z.string() })]));

/** The parts of a stage: `files` is the pristine workspace, `data` what the setup commands made for all runs. */
export function stageParts(layout: Layout, stageHash: string): { root: string; files: string; data: string } {
  const root = stageDirectory(layout, stageHash);
  return { root, files: join(root, 'files'), data: join(root, 'data') };
}

/** True once the workspace of that hash lies here. */
export const isStaged = (layout: Layout, stageHash: string): Promise<boolean> =>
  isThere(stageDirectory(layout, stageHash));

/** Copies the workspace here, once per hash: into a temporary folder, then by rename, so that a half stage never shows. */
export async function stage(layout: Layout, stageHash: string, files: FileContent[]): Promise<void> {
  const target = stageDirectory(layout, stageHash);
  if (await isThere(target)) return;
  const temporary = join(layout.stages, `.tmp-${randomUUID()}`);
  try {
    await mkdir(join(temporary, 'files'), { recursive: true });
    await mkdir(join(temporary, 'data'));
    await writeFiles(join(temporary, 'files'), files);
    const manifest = Object.fromEntries(files.map(({ path, content }) => [path, describe(content)]));
    await writeFile(join(temporary, 'manifest.json'), JSON.stringify(manifest));
    await rename(temporary, target);
  } catch (error) {
    await removeTree(temporary);
    // Somebody else was faster; what lies there has the same content.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The staged files by path. */
export async function readManifest(layout: Layout, stageHash: string): Promise<Map<string, StagedFile>> {
  const { root, files } = stageParts(layout, stageHash);
  const manifest = Manifest.parse(JSON.parse(await readFile(join(root, 'manifest.json'), 'utf8')));
  const read = Object.entries(manifest).map(async ([path, file]): Promise<[string, StagedFile]> => {
    return [path, typeof file === 'string' ? { size: await sizeOf(join(files, path)), hash: file } : file];
  });
  return new Map(await Promise.all(read));
}

// What the setup removed from the stage is of no size: no run has it unchanged.
async function sizeOf(file: string): Promise<number> {
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return info?.size ?? -1;
}

const describe = (content: Uint8Array): StagedFile => ({
  size: content.length,
  hash: createHash('sha256').update(content).digest('hex'),
});
