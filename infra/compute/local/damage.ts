import type { BigIntStats } from 'node:fs';
import { lstat, rename, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isThere, namesIn } from '../../files.ts';
import { stageDirectory, type Layout } from '../run-protocol/paths.ts';
import { isAlive, readOwner } from './owner.ts';
import { lockOf, preparedIn, readPrepared } from './prepared.ts';
import { RunFile } from './run-file.ts';
import { jsonIn, partsIn, type Manifest } from './stage.ts';
import { isStill } from './still.ts';

/** A stage by its hash, and by the number of its folder: another of the same hash may come to its place. */
export interface KnownStage {
  hash: string;
  inode: string;
}

const ASIDE = '.damaged-';
/** Of a stage, or a run, whose list of files is gone or cut. */
export const GONE_LIST = 'the list of its files cannot be read';
/** Of a stage that lies nowhere any more. */
export const GONE = 'it is gone';

/** Where a damaged stage lies once it was set aside. */
const asideOf = (layout: Layout, { hash, inode }: KnownStage): string =>
  join(layout.stages, `${ASIDE}${inode}-${hash}`);

/** The number of a folder, which stays when it is moved; undefined where nothing is. */
export const inodeOf = async (folder: string): Promise<string | undefined> => (await infoOf(folder))?.ino.toString();

/** Undefined where nothing is; what this machine could not say is no damage. */
async function infoOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Why a stage, or a copy of its files in `copy`, cannot be what was staged; undefined where it looks whole. Reads no content. */
export async function lookWhole(
  root: string,
  { manifest, copy = partsIn(root).files }: { manifest: Manifest | undefined; copy?: string },
): Promise<string | undefined> {
  if (!manifest) return GONE_LIST;
  const prepared = await readPrepared(root);
  const changedBySetup = new Set(prepared?.changed);
  for (const [path, { size }] of manifest) {
    if (changedBySetup.has(path)) continue;
    const info = await infoOf(join(copy, path));
    if (!info?.isFile() || info.size !== BigInt(size)) return `${path} is not what was staged`;
  }
  return goneData(root);
}

/** What the setup made for all runs, and is gone; undefined where all of it is there. By the names at the top. */
export async function goneData(root: string): Promise<string | undefined> {
  const { data } = partsIn(root);
  if (!(await isThere(data))) return 'data, which its runs are shown, is gone';
  const made = (await readPrepared(root))?.data ?? [];
  for (const name of made) if (!(await isThere(join(data, name)))) return `data/${name}, which its setup made, is gone`;
  return undefined;
}

/** Which of these files are not what was staged in the stage itself either, nor were when its setup was over. */
export async function damageIn(
  root: string,
  { manifest, changed }: { manifest: Manifest; changed: string[] },
): Promise<string | undefined> {
  const { files } = partsIn(root);
  const changedBySetup = new Set((await readPrepared(root))?.changed);
  for (const path of changed) {
    const staged = manifest.get(path);
    if (staged && !changedBySetup.has(path) && !(await isStill(staged, files, path)))
      return `${path} is not what was staged`;
  }
  return goneData(root);
}

/** Where the stage that a run was made from lies by now; undefined where it is gone. */
export async function findStage(layout: Layout, known: KnownStage): Promise<string | undefined> {
  const places = [stageDirectory(layout, known.hash), asideOf(layout, known)];
  for (const place of places) if ((await inodeOf(place)) === known.inode) return place;
  return undefined;
}

/** The stage whose data a conversation with an ended run is shown; undefined where that is gone. */
export async function stageToShow(
  layout: Layout,
  { hash, inode }: { hash: string; inode: string | undefined },
): Promise<string | undefined> {
  const place = stageDirectory(layout, hash);
  const own = inode === undefined ? place : await findStage(layout, { hash, inode });
  // What a setup made may hold its own path: made anew there, it is of more use than moved.
  const root = own !== place && (await isThere(preparedIn(place))) ? place : own;
  return root === undefined || (await goneData(root)) !== undefined ? undefined : root;
}

/**
 * Takes a damaged stage out of the way, so that the next launch finds none. Moved, not removed: a run in a
 * sandbox has its folders still; any other finds them gone, which is told when it is collected.
 * A setup that is under way in it is waited for, by who asks for it next.
 */
export async function setAside(layout: Layout, known: KnownStage): Promise<void> {
  const root = stageDirectory(layout, known.hash);
  const owner = await readOwner(join(lockOf(root), 'owner'));
  if ((owner && (await isAlive(owner))) || (await inodeOf(root)) !== known.inode) return;
  const now = new Date();
  try {
    await utimes(root, now, now);
    await rename(root, asideOf(layout, known));
  } catch (error) {
    // Another was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Names among `stages/` that were set aside and that no run was made from. */
export async function unusedAside(layout: Layout): Promise<string[]> {
  const aside = (await namesIn(layout.stages)).filter((name) => name.startsWith(ASIDE));
  const used = aside.length === 0 ? new Set() : await usedStages(layout);
  return aside.filter((name) => !used.has(name) && !used.has(name.slice(ASIDE.length).replace(/^\d+-/, '')));
}

/** Whether some run was made from a stage; one that is older was made from another, which had that number before. */
export async function isUsed(layout: Layout, known: KnownStage): Promise<boolean> {
  const manifest = await infoOf(join(stageDirectory(layout, known.hash), 'manifest.json'));
  const used = await usedStages(layout, manifest && { sinceNs: manifest.mtimeNs });
  return used.has(basename(asideOf(layout, known))) || used.has(known.hash);
}

/** Names aside, and hashes alone of runs of older versions. Of all installations: they share the stages. */
async function usedStages(layout: Layout, { sinceNs = 0n } = {}): Promise<Set<string>> {
  const runs = join(layout.home, 'runs');
  const used = new Set<string>();
  for (const installation of await namesIn(runs))
    for (const run of await namesIn(join(runs, installation)))
      for (const attempt of await namesIn(join(runs, installation, run))) {
        const path = join(runs, installation, run, attempt, 'run.json');
        const file = RunFile.safeParse(await jsonIn(path));
        if (((await infoOf(path))?.mtimeNs ?? 0n) < sinceNs) continue;
        const { stageHash: hash, stageInode: inode } = file.data ?? {};
        if (hash !== undefined) used.add(inode === undefined ? hash : basename(asideOf(layout, { hash, inode })));
      }
  return used;
}
