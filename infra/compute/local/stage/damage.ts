import { join } from 'node:path';
import { pathExists } from '../../../files.ts';
import { lstatOptional, isExecutable } from './lstat-optional.ts';
import { findChangedData } from './listing.ts';
import { readPrepared } from './prepared.ts';
import { stagePartsAt, type Manifest } from '../stage.ts';
import { isUnchanged } from './is-unchanged.ts';

/** Of a stage, or a run, whose list of files is gone or cut. */
export const MANIFEST_UNREADABLE = 'the list of its files cannot be read';
/** Of a stage that lies nowhere any more. */
export const STAGE_GONE = 'it is gone';

/** Why a stage, or a copy of its files in `copy`, cannot be what was staged; undefined where it looks whole. Reads no content. */
export async function findShallowDamage(
  root: string,
  { manifest, copy = stagePartsAt(root).files }: { manifest: Manifest | undefined; copy?: string },
): Promise<string | undefined> {
  if (!manifest) return MANIFEST_UNREADABLE;
  const prepared = await readPrepared(root);
  const changedBySetup = new Set(prepared?.changed);
  for (const [path, { size, executable }] of manifest) {
    if (changedBySetup.has(path)) continue;
    const info = await lstatOptional(join(copy, path));
    if (!info?.isFile() || info.size !== BigInt(size)) return `${path} is not what was staged`;
    if (executable && !isExecutable(info)) return `${path} may not be executed any more`;
  }
  return findMissingData(root);
}

/** What the setup made for all runs, and is gone; undefined where all of it is there. By the names at the top. */
export async function findMissingData(root: string): Promise<string | undefined> {
  const { data } = stagePartsAt(root);
  if (!(await pathExists(data))) return 'data, which its runs are shown, is gone';
  const made = (await readPrepared(root))?.data ?? [];
  for (const name of made)
    if (!(await pathExists(join(data, name)))) return `data/${name}, which its setup made, is gone`;
  return undefined;
}

/**
 * Which of these files are not what was staged in the stage itself either, nor were when its setup was over; else what of the
 * setup's making is gone, or, where the run failed or changed something, is not what it was.
 */
export async function findDamage(
  root: string,
  { manifest, changed, failed }: { manifest: Manifest; changed: string[]; failed: boolean },
): Promise<string | undefined> {
  const { files } = stagePartsAt(root);
  const changedBySetup = new Set((await readPrepared(root))?.changed);
  for (const path of changed) {
    const staged = manifest.get(path);
    if (staged && !changedBySetup.has(path) && !(await isUnchanged(staged, files, path)))
      return `${path} is not what was staged`;
  }
  // Too many looks for each run that went well.
  return (await findMissingData(root)) ?? (failed || changed.length > 0 ? await findChangedData(root) : undefined);
}
