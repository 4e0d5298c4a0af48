import { rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pathExists, listNames } from '../../../files.ts';
import { removeTree } from '../../../remove-tree.ts';
import { stageDirectory, type Layout } from '../../run-protocol/paths.ts';
import { findMissingData } from './damage.ts';
import { stageIdIn, isInode, isStage, inodeOf, type KnownStage } from './identity.ts';
import { isAlive, readOwner } from '../attempt/owner.ts';
import { lockOf, preparedIn } from './prepared.ts';
import { usedStages } from './used.ts';

const ASIDE = '.damaged-';

/** Path of a damaged stage after it was set aside. */
const asideOf = (layout: Layout, { hash, id }: KnownStage): string => join(layout.stages, `${ASIDE}${id}-${hash}`);

/** Names of the stages that were set aside. */
const namesAside = async (layout: Layout): Promise<string[]> =>
  (await listNames(layout.stages)).filter((name) => name.startsWith(ASIDE));

/** Finds the stage that a run was made from, which may have been set aside; undefined if it is gone. */
export async function findStage(layout: Layout, known: KnownStage): Promise<string | undefined> {
  const paths = [stageDirectory(layout, known.hash), asideOf(layout, known)];
  // An older version knows the stage by its inode only, while its name aside may contain an id.
  if (isInode(known.id)) paths.push(...(await namesAside(layout)).map((name) => join(layout.stages, name)));
  for (const path of paths) if (await isStage(path, known.id)) return path;
  return undefined;
}

/** Finds the stage whose data a conversation with an ended run gets; undefined if it is gone. */
export async function stageForConversation(
  layout: Layout,
  { hash, id }: { hash: string; id: string | undefined },
): Promise<string | undefined> {
  const inPlace = stageDirectory(layout, hash);
  const original = id === undefined ? inPlace : await findStage(layout, { hash, id });
  // Files of a setup may contain absolute paths of the stage: a new stage at that path works better than a moved one.
  const root = original !== inPlace && (await pathExists(preparedIn(inPlace))) ? inPlace : original;
  return root === undefined || (await findMissingData(root)) !== undefined ? undefined : root;
}

/**
 * Sets a damaged stage aside, so that the next launch finds none. The stage is moved, not removed: a sandboxed run
 * keeps its mounted folders. A run without a sandbox finds them gone, and `collect` reports that. If a setup is under
 * way in the stage, nothing happens; the next caller waits for the setup.
 */
export async function moveDamagedStage(layout: Layout, { hash, id }: KnownStage): Promise<void> {
  const root = stageDirectory(layout, hash);
  const owner = await readOwner(join(lockOf(root), 'owner'));
  if ((owner && (await isAlive(owner))) || !(await isStage(root, id))) return;
  const ownId = (await stageIdIn(root)) ?? id;
  const now = new Date();
  try {
    await utimes(root, now, now);
    await rename(root, asideOf(layout, { hash, id: ownId }));
  } catch (error) {
    // Another process moved it first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  await removeOlder(layout, { hash, id: ownId });
}

/** Removes stages of that hash that were set aside before: a machine that damages each stage would fill its disk. */
async function removeOlder(layout: Layout, { hash, id }: KnownStage): Promise<void> {
  for (const name of await unusedDamagedStages(layout)) {
    const [otherId, otherHash] = partsOf(name);
    // If the removal fails, a later sweep reports it.
    if (otherHash === hash && otherId !== id) await removeTree(join(layout.stages, name)).catch(() => undefined);
  }
}

/** Names of the stages that were set aside and that no existing run was made from. */
export async function unusedDamagedStages(layout: Layout): Promise<string[]> {
  const aside = await namesAside(layout);
  if (aside.length === 0) return [];
  const { ids, hashes } = await usedStages(layout);
  const isUsed = async (name: string): Promise<boolean> => {
    const [id = '', hash = ''] = partsOf(name);
    return ids.has(id) || hashes.has(hash) || ids.has((await inodeOf(join(layout.stages, name))) ?? '');
  };
  const used = await Promise.all(aside.map(isUsed));
  return aside.filter((_, index) => !used[index]);
}

/** The id and the hash in the name of a stage that was set aside. */
const partsOf = (name: string): string[] => /^([^-]*)-(.*)$/s.exec(name.slice(ASIDE.length))?.slice(1) ?? [];
