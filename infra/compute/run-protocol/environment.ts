import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SlotRef } from '../../compute.ts';
import { type BuiltPython, pythonEnvironment } from '../../python/built.ts';
import { gpuVariables } from '../../gpus/visible-gpus.ts';
import type { RunHost } from './run-host.ts';
import { isSystemPath } from './spec.ts';

/**
 * Makes Python write each line at once. To a pipe, it writes blocks of 8 KiB: a healthy run would look stalled, and a
 * killed one would leave no log.
 */
export const UNBUFFERED = { PYTHONUNBUFFERED: '1' } as const;

/**
 * Whole environment of a run: the variables that the caller gave, those that programs need, and more for a Python
 * environment.
 */
export function runEnvironment(
  context: Pick<RunHost, 'path' | 'visibleGpus' | 'gpuOrder'>,
  given: {
    env: Record<string, string>;
    slot: SlotRef;
    data: string;
    path?: string[];
    python?: BuiltPython | undefined;
  },
  folders: { work: string; tmp: string },
): Record<string, string> {
  const { python, path = [] } = given;
  const { gpu } = given.slot;
  const { CUDA_DEVICE_ORDER, ...seen } = gpu === null ? gpuVariables(context) : { CUDA_VISIBLE_DEVICES: gpu };
  return {
    PATH: pathOf(context, python ? [python.bin, ...path] : path),
    LANG: 'C.UTF-8',
    PERPETUA_DATA: given.data,
    ...UNBUFFERED,
    ...seen,
    ...(python && pythonEnvironment(given.slot, folders.tmp)),
    ...given.env,
    // The worker's order wins: in another order, the same index means another GPU.
    ...(CUDA_DEVICE_ORDER === undefined ? {} : { CUDA_DEVICE_ORDER }),
    // With an environment, HOME is `tmp`: libraries keep caches in HOME, and `work` is read-only in a conversation.
    HOME: python ? folders.tmp : folders.work,
    TMPDIR: folders.tmp,
  };
}

/** PATH with a task's own folders before those of its host. */
export const pathOf = ({ path }: Pick<RunHost, 'path'>, folders: readonly string[] = []): string =>
  [...folders, path].join(':');

/**
 * Folders that must be visible for the programs of a PATH: the prefix of each `bin`, so that libraries are found. The
 * `bin` alone, if its prefix is ~/.local or has fewer than three parts, as a home directory has.
 */
export function foldersOfPath(path: string, isThere: (entry: string) => boolean = existsSync): string[] {
  return [...new Set(entriesOfPath(path).filter(isThere).map(prefixOf))];
}

/** Absolute entries of a PATH outside the folders that every sandbox shows. */
export const entriesOfPath = (path: string): string[] =>
  path.split(':').filter((entry) => entry.startsWith('/') && !isSystemPath(entry));

/** Prefix of a folder of programs; the folder itself, if that would show too much. */
export function prefixOf(entry: string): string {
  const prefix = dirname(entry);
  const shallow = prefix.split('/').filter(Boolean).length < 3;
  return ['bin', 'sbin', 'shims'].includes(basename(entry)) && !shallow && basename(prefix) !== '.local'
    ? prefix
    : entry;
}

/**
 * Range of uids that no account uses: its first uid, and its length, which is the most slots of a host. The uid after
 * the range is the probe's, and the next one that of evaluators.
 */
export const FIRST_UID = 61_200;
export const MOST_UIDS = 3_999;
export const EVALUATOR_UID = FIRST_UID + MOST_UIDS + 1;

/**
 * Uid for the runs of one slot. Slots of a host differ in their uids, so that killing all processes of a uid ends one
 * run only. Two hosts that are one machine start at different uids, by a hash of their names.
 */
export function slotUid({ installation, host }: Pick<RunHost, 'installation' | 'host'>, slot: SlotRef): number {
  const hash = createHash('sha256').update(`${installation}\n${host}`).digest();
  return FIRST_UID + (((hash.readUInt32BE(0) % MOST_UIDS) + slot.index) % MOST_UIDS);
}
