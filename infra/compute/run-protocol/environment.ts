import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SlotRef } from '../../compute.ts';
import { type BuiltPython, pythonEnvironment } from '../../python/built.ts';
import { gpuVariables } from '../../visible-gpus.ts';
import type { RunHost } from './run-host.ts';
import { isSystemPath } from './spec.ts';

/** The whole environment of a run: what the caller gave, and five names that make programs work; more with a Python of its own. */
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
  const { python } = given;
  const { gpu } = given.slot;
  const { CUDA_DEVICE_ORDER, ...seen } = gpu === null ? gpuVariables(context) : { CUDA_VISIBLE_DEVICES: gpu };
  return {
    PATH: pathOf(context, [...(python ? [python.bin] : []), ...(given.path ?? [])]),
    LANG: 'C.UTF-8',
    PERPETUA_DATA: given.data,
    ...seen,
    ...(python && pythonEnvironment(given.slot, folders.tmp)),
    ...given.env,
    // By another order the same index is another GPU.
    ...(CUDA_DEVICE_ORDER === undefined ? {} : { CUDA_DEVICE_ORDER }),
    // Libraries keep caches there, and an answering program may write nothing into its folder.
    HOME: python ? folders.tmp : folders.work,
    TMPDIR: folders.tmp,
  };
}

/** PATH with a task's own folders before those of its host. */
export const pathOf = ({ path }: Pick<RunHost, 'path'>, own: readonly string[] = []): string =>
  [...own, path].join(':');

/**
 * The folders that a PATH needs to be visible: the prefix of each `bin`, so that libraries are found, but never a
 * home directory or what lies directly in it.
 */
export function foldersOfPath(path: string, isThere: (entry: string) => boolean = existsSync): string[] {
  return [...new Set(entriesOfPath(path).filter(isThere).map(prefixOf))];
}

/** What a PATH names besides the folders that every sandbox shows. */
export const entriesOfPath = (path: string): string[] =>
  path.split(':').filter((entry) => entry.startsWith('/') && !isSystemPath(entry));

export function prefixOf(entry: string): string {
  const prefix = dirname(entry);
  const shallow = prefix.split('/').filter(Boolean).length < 3;
  return ['bin', 'sbin', 'shims'].includes(basename(entry)) && !shallow && basename(prefix) !== '.local'
    ? prefix
    : entry;
}

/** The range that no account has: its first uid, and how many slots of a host it holds. The one after it is the probe's. */
export const FIRST_UID = 61_200;
export const MOST_UIDS = 3_999;

/**
 * A uid for the runs of one slot: those of a host's slots differ as their indices do, so that what ends all of a uid ends one
 * run. Two hosts that are one machine begin at places of their own, by their names.
 */
export function slotUid({ installation, host }: Pick<RunHost, 'installation' | 'host'>, slot: SlotRef): number {
  const hash = createHash('sha256').update(`${installation}\n${host}`).digest();
  return FIRST_UID + (((hash.readUInt32BE(0) % MOST_UIDS) + slot.index) % MOST_UIDS);
}
