import { join } from 'node:path';
import { readOptional } from '../../../files.ts';
import { lstatOptional } from './lstat-optional.ts';

/** Identity of one stage: another stage of the same hash may replace it. */
export interface KnownStage {
  hash: string;
  /** Id of the stage; for a stage of an older version, the inode of its folder. */
  id: string;
}

/** The file with the id of a stage. */
export const idFileIn = (root: string): string => join(root, 'stage-id');

/** Id of a stage, else its inode, which file systems reuse at once; undefined if the folder is gone. */
export async function stageIdIn(root: string): Promise<string | undefined> {
  return (await ownIdOf(root)) ?? (await inodeOf(root));
}

/** True if the folder is the stage of that id or inode. */
export async function isStage(root: string, id: string): Promise<boolean> {
  return (isInode(id) ? await inodeOf(root) : await ownIdOf(root)) === id;
}

/** True if an id is an inode, by which older versions identified a stage. */
export const isInode = (id: string): boolean => /^\d{1,20}$/.test(id);

/** Inode of a folder, which a move keeps; undefined if there is none. */
export const inodeOf = async (folder: string): Promise<string | undefined> =>
  (await lstatOptional(folder))?.ino.toString();

// The id becomes part of a path, so it has to be well formed. A truncated id counts as none.
async function ownIdOf(root: string): Promise<string | undefined> {
  const text = (await readOptional(idFileIn(root))) ?? '';
  return /^[0-9a-f]{32}(?=\n?$)/.exec(text)?.[0];
}
