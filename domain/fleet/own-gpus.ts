import type { FleetPool, HostSpec } from './fleet.ts';

/** Pool of the GPUs of a worker's own machine. */
export const GPU_POOL = 'gpu';
/** Shape of that pool: each slot is one GPU. */
export const OWN_POOL: FleetPool = { slots: 'gpu', env: {} };

/** GPUs that a machine lends: all that nvidia-smi lists, none, or these by UUID or index. */
export type OwnGpus = 'auto' | 'none' | string[];

const splitList = (list: string): string[] => list.split(',').map((entry) => entry.trim());
const isGpu = (entry: string): boolean => /^(\d{1,4}|(GPU|MIG)-[A-Za-z0-9/-]+)$/.test(entry);

/** Parses PERPETUA_GPUS: `auto`, `none`, or UUIDs and indices separated by commas; null for any other text. */
export function parseOwnGpus(text: string): OwnGpus | null {
  if (text === 'auto' || text === 'none') return text;
  const entries = splitList(text);
  return entries.every(isGpu) ? entries : null;
}

/** GPUs that the worker itself may see, by CUDA_VISIBLE_DEVICES. As in CUDA, the first invalid entry ends the list. */
export function gpusVisible(visible: string | undefined): OwnGpus {
  if (visible === undefined) return 'auto';
  const entries = splitList(visible);
  const end = entries.findIndex((entry) => !isGpu(entry));
  const named = end === -1 ? entries : entries.slice(0, end);
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

/** The host that stands for a home's GPUs; `taken`: another home has its short name. */
export function ownGpuHost({ home, scratch, path, env, gpus }: GpuHome, { taken }: { taken: boolean }): HostSpec {
  const plain = (taken ? home : home.replace(/-[0-9a-f]{8}$/, '')).replace(/[^A-Za-z0-9._-]/g, '-');
  return {
    // At most 63 characters; the last ones distinguish two homes of one machine.
    name: `gpus-of-${plain.slice(taken ? -55 : 0, taken ? undefined : 55)}`,
    pool: GPU_POOL,
    own: home,
    gpus,
    scratch,
    path,
    hostKey: 'strict',
    readable: [],
    env,
    labels: [],
    lostAfterSeconds: 600,
    keepDays: 14,
    cacheGb: 50,
  };
}
