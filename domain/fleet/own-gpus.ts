import type { FleetPool, HostSpec } from './fleet.ts';

/** The pool that the GPUs of a worker's own machine are slots of. */
export const GPU_POOL = 'gpu';
/** What a slot of it is: one GPU. */
export const OWN_POOL: FleetPool = { slots: 'gpu', env: {} };

/** Which of its GPUs a machine lends: all that nvidia-smi names, none, or these by UUID or index. */
export type OwnGpus = 'auto' | 'none' | string[];

const wordsOf = (list: string): string[] => list.split(',').map((word) => word.trim());
const isGpu = (word: string): boolean => /^(\d{1,4}|(GPU|MIG)-[A-Za-z0-9/-]+)$/.test(word);

/** What PERPETUA_GPUS says: `auto`, `none`, or UUIDs and indices by commas; null where it is none of these. */
export function parseOwnGpus(text: string): OwnGpus | null {
  if (text === 'auto' || text === 'none') return text;
  const words = wordsOf(text);
  return words.every(isGpu) ? words : null;
}

/** The GPUs that the worker itself may see, by its CUDA_VISIBLE_DEVICES: as for CUDA, the first word that names none ends the list. */
export function gpusVisible(visible: string | undefined): OwnGpus {
  if (visible === undefined) return 'auto';
  const words = wordsOf(visible);
  const end = words.findIndex((word) => !isGpu(word));
  const named = end === -1 ? words : words.slice(0, end);
  return named.length > 0 ? named : 'none';
}

/** A home that lends its machine's GPUs. */
export interface GpuHome {
  /** The name that its workers give their machine: its host name and eight letters. */
  home: string;
  /** Absolute folder of workspaces and runs. */
  scratch: string;
  /** PATH of the runs. */
  path: string;
  /** Variables of the runs. */
  env: Record<string, string>;
  gpus: Exclude<OwnGpus, 'none'>;
}

/** The host that they are; `taken`: whether another home has its short name. */
export function ownGpuHost({ home, scratch, path, env, gpus }: GpuHome, { taken }: { taken: boolean }): HostSpec {
  const plain = (taken ? home : home.replace(/-[0-9a-f]{8}$/, '')).replace(/[^A-Za-z0-9._-]/g, '-');
  return {
    // 63 characters at most; the last ones tell two homes of one machine apart.
    name: `gpus-of-${plain.slice(taken ? -55 : 0, taken ? undefined : 55)}`,
    ...{ pool: GPU_POOL, own: home, gpus, scratch, path, hostKey: 'strict', readable: [], env, labels: [] },
    ...{ lostAfterSeconds: 600, keepDays: 14, cacheGb: 50 },
  };
}
