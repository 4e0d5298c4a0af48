import { join } from 'node:path';
import { pathExists } from '../../../files.ts';
import { lstatOptional, isExecutable } from './lstat-optional.ts';
import { findChangedData } from './listing.ts';
import { readPrepared } from './prepared.ts';
import { stagePartsAt, type Manifest } from '../stage.ts';
import { isUnchanged } from './is-unchanged.ts';

/** Damage of a stage or a run whose manifest is gone or incomplete. */
export const MANIFEST_UNREADABLE = 'the list of its files cannot be read';
/** Damage of a stage whose folder is gone. */
export const STAGE_GONE = 'it is gone';

/** Returns the damage of a stage, or of a copy of its files in `copy`; undefined if there is none. Reads no content. */
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
    if (!info?.isFile() || info.size !== BigInt(size)) return `${path} differs from the staged file`;
    if (executable && !isExecutable(info)) return `${path} is no longer executable`;
  }
  return findMissingData(root);
}

/** Returns a missing top-level entry of `data`, which the setup made for all runs; undefined if none is missing. */
export async function findMissingData(root: string): Promise<string | undefined> {
  const { data } = stagePartsAt(root);
  if (!(await pathExists(data))) return 'data, which runs read, is gone';
  const made = (await readPrepared(root))?.data ?? [];
  for (const name of made)
    if (!(await pathExists(join(data, name)))) return `data/${name}, which its setup made, is gone`;
  return undefined;
}

/**
 * Returns the damage of a stage after a run; undefined if there is none. A file that the run changed is damage if the
 * stage's own copy differs, too, and the setup did not change it. Missing data of the setup is damage. If the run
 * failed or changed files, changed data is damage as well.
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
      return `${path} differs from the staged file`;
  }
  const missing = await findMissingData(root);
  if (missing !== undefined) return missing;
  // After a run that went well, checking each file of the data would cost too much.
  return failed || changed.length > 0 ? await findChangedData(root) : undefined;
}
