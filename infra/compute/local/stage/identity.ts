import { join } from 'node:path';
import { readOptional } from '../../../files.ts';
import { lstatOptional } from './lstat-optional.ts';

/** One stage of a hash: another of the same hash may come to its place. */
export interface KnownStage {
  hash: string;
  /** Its own, or, of a stage of an older version, the number of its folder. */
  id: string;
}

/** Where a stage says which one it is. */
export const idFileIn = (root: string): string => join(root, 'stage-id');

/** Which stage lies there; undefined where nothing does. Numbers of folders are given to others at once: only where it has no id. */
export async function stageIdIn(root: string): Promise<string | undefined> {
  return (await ownIdOf(root)) ?? (await numberOf(root));
}

/** Whether the stage of that id, or number, lies there. */
export async function isStage(root: string, id: string): Promise<boolean> {
  return (isNumber(id) ? await numberOf(root) : await ownIdOf(root)) === id;
}

/** Of an older version, which knew a stage by the number of its folder. */
export const isNumber = (id: string): boolean => /^\d{1,20}$/.test(id);

/** The number of a folder, which stays when it is moved; undefined where nothing is. */
export const numberOf = async (folder: string): Promise<string | undefined> =>
  (await lstatOptional(folder))?.ino.toString();

// It becomes part of a path. One that was cut is none.
async function ownIdOf(root: string): Promise<string | undefined> {
  const text = (await readOptional(idFileIn(root))) ?? '';
  return /^[0-9a-f]{32}(?=\n?$)/.exec(text)?.[0];
}
