import type { Needs } from '../../domain/tools/needs.ts';
import type { Protections, SandboxMode } from '../../infra/compute.ts';

/** The pools that slots belong to. */
export interface Pools {
  /** MiB that a run may take on the host of a pool that gives most; null where nobody knows, and on this machine. */
  memoryIn: (pool: string) => number | null;
  /** Protections of runs of a pool; null where no machine of the pool can say now. */
  protections: (mode: SandboxMode, pool: string) => Promise<Protections | null>;
  /** Tools and folders of a task that each machine of a pool lacks which can say so now: empty where one lacks nothing, or none can say. */
  lacks: (needs: Needs, pool: string) => Promise<string[]>;
  /** Takes the offer that this worker holds for a slot of the pool; null where it holds none. */
  takeOffer: (pool: string) => { slotId: string; holder: string } | null;
  /** Hardware of a pool, a line for each kind of machine, as a model is told; empty where nobody knows. */
  hardware: (pool: string) => Promise<string[]>;
  slotsOf: (pool: string) => Promise<number>;
  /** MiB that the disk of the runs of a pool has in all; null where the pool is not this machine's, or nobody knows. */
  diskSizeMb: (pool: string) => Promise<number | null>;
}
