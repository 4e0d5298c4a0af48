import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { FileContent } from '../../compute.ts';
import { isThere, removeTree, writeFiles } from '../../files.ts';
import { stageDirectory, type Layout } from './paths.ts';

/** Hash of each staged file by its path; what a run may not change is compared with it. */
const Manifest = z.record(z.string(), z.string());

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
    const manifest = Object.fromEntries(files.map(({ path, content }) => [path, sha256(content)]));
    await writeFile(join(temporary, 'manifest.json'), JSON.stringify(manifest));
    await rename(temporary, target);
  } catch (error) {
    await removeTree(temporary);
    // Somebody else was faster; what lies there has the same content.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Hashes of the staged files by path. */
export async function readManifest(layout: Layout, stageHash: string): Promise<Record<string, string>> {
  const file = join(stageDirectory(layout, stageHash), 'manifest.json');
  return Manifest.parse(JSON.parse(await readFile(file, 'utf8')));
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Hash of a file on disk, read as a stream. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
