import { rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pathExists, listNames } from '../../../files.ts';
import { removeTree } from '../../../remove-tree.ts';
import { stageDirectory, type Layout } from '../../run-protocol/paths.ts';
import { findMissingData } from './damage.ts';
import { stageIdIn, isNumber, isStage, numberOf, type KnownStage } from './identity.ts';
import { isAlive, readOwner } from '../attempt/owner.ts';
import { lockOf, preparedIn } from './prepared.ts';
import { usedStages } from './used.ts';

const ASIDE = '.damaged-';

/** Where a damaged stage lies once it was set aside. */
const asideOf = (layout: Layout, { hash, id }: KnownStage): string => join(layout.stages, `${ASIDE}${id}-${hash}`);

const namesAside = async (layout: Layout): Promise<string[]> =>
  (await listNames(layout.stages)).filter((name) => name.startsWith(ASIDE));

/** Where the stage that a run was made from lies by now; undefined where it is gone. */
export async function findStage(layout: Layout, known: KnownStage): Promise<string | undefined> {
  const places = [stageDirectory(layout, known.hash), asideOf(layout, known)];
  // An older version made a run from a stage with an id, which lies under that.
  if (isNumber(known.id)) places.push(...(await namesAside(layout)).map((name) => join(layout.stages, name)));
  for (const place of places) if (await isStage(place, known.id)) return place;
  return undefined;
}

/** The stage whose data a conversation with an ended run is shown; undefined where that is gone. */
export async function stageForConversation(
  layout: Layout,
  { hash, id }: { hash: string; id: string | undefined },
): Promise<string | undefined> {
  const place = stageDirectory(layout, hash);
  const own = id === undefined ? place : await findStage(layout, { hash, id });
  // What a setup made may hold its own path: made anew there, it is of more use than moved.
  const root = own !== place && (await pathExists(preparedIn(place))) ? place : own;
  return root === undefined || (await findMissingData(root)) !== undefined ? undefined : root;
}

/**
 * Takes a damaged stage out of the way, so that the next launch finds none. Moved, not removed: a run in a
 * sandbox has its folders still; any other finds them gone, which is told when it is collected.
 * A setup that is under way in it is waited for, by who asks for it next.
 */
export async function moveDamagedStage(layout: Layout, { hash, id }: KnownStage): Promise<void> {
  const root = stageDirectory(layout, hash);
  const owner = await readOwner(join(lockOf(root), 'owner'));
  if ((owner && (await isAlive(owner))) || !(await isStage(root, id))) return;
  const own = (await stageIdIn(root)) ?? id;
  const now = new Date();
  try {
    await utimes(root, now, now);
    await rename(root, asideOf(layout, { hash, id: own }));
  } catch (error) {
    // Another was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  await dropOthers(layout, { hash, id: own });
}

/** Removes what was set aside before of that hash: a machine that damages each one would fill its disk. */
async function dropOthers(layout: Layout, { hash, id }: KnownStage): Promise<void> {
  for (const name of await unusedDamagedStages(layout)) {
    const [otherId, otherHash] = partsOf(name);
    // What cannot be removed is for a sweep to say.
    if (otherHash === hash && otherId !== id) await removeTree(join(layout.stages, name)).catch(() => undefined);
  }
}

/** Names among `stages/` that were set aside and that no run was made from. */
export async function unusedDamagedStages(layout: Layout): Promise<string[]> {
  const aside = await namesAside(layout);
  if (aside.length === 0) return [];
  const { ids, hashes } = await usedStages(layout);
  const isUsed = async (name: string): Promise<boolean> => {
    const [id = '', hash = ''] = partsOf(name);
    return ids.has(id) || hashes.has(hash) || ids.has((await numberOf(join(layout.stages, name))) ?? '');
  };
  const used = await Promise.all(aside.map(isUsed));
  return aside.filter((_, index) => !used[index]);
}

/** The id and the hash in the name of one that lies aside. */
const partsOf = (name: string): string[] => /^([^-]*)-(.*)$/s.exec(name.slice(ASIDE.length))?.slice(1) ?? [];
