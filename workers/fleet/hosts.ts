import { hardwareClass, slotsThatShare } from '../../domain/fleet/hardware-class.ts';
import type { HostRow, KnownHost } from '../../db/host/fleet.ts';
import type { Store } from '../../db/store.ts';
import { memoryForRun } from '../../domain/fleet/memory.ts';
import type { ToolNeeds } from '../../domain/tools/needs.ts';
import { HostError, type Protections, type SandboxMode } from '../../infra/compute.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';

/** Hosts of the fleet that this worker has read, each with its connection. */
export interface FleetHosts {
  /** Rows of the last refresh. */
  rows: () => KnownHost[];
  refresh: () => Promise<void>;
  /** Undefined for a host that the fleet does not have. */
  computeOf: (name: string) => SshCompute | undefined;
  /** Variables that the fleet sets for runs on a host; the host's replace the pool's. */
  envOf: (name: string) => Record<string, string>;
  /** CPU cores of a host's slot; null for a whole host or a GPU; 1 for an unknown host. */
  coresOf: (name: string) => number | null;
  /** Seconds after which runs of an absent host are placed elsewhere. */
  lostAfter: (name: string) => number;
  /** Memory for a run on a host, in MiB; null if it is unknown. */
  memoryOf: (name: string) => number | null;
  /** Hardware of a run on a slot; null if it is unknown. */
  hardwareOf: (lease: { host: string; gpu: string | null }) => string | null;
  /** Memory for a run on the pool's largest host, in MiB; null if one host's is unknown. */
  memoryIn: (pool: string) => number | null;
  /** Protections on the first host of a pool that answers; null if no host answers. */
  protections: (mode: SandboxMode, pool: string) => Promise<Protections | null>;
  /** Tools of a task that the first answering host of a pool lacks; empty if a host has all, or no host answers. */
  missingTools: (needs: ToolNeeds, pool: string) => Promise<string[]>;
  /** Hides a folder of this machine from every sandbox: a host may be this very machine, or have the same files. */
  hide: (folder: string) => Promise<void>;
  close: () => void;
}

/** After so much idle time, nobody uses the old connection of a changed host. */
const UNUSED_SECONDS = 600;

interface Known {
  row: KnownHost;
  spec: string;
  compute: SshCompute;
}

/** Creates the hosts of this worker; a host's connection opens when it is first needed. */
export function createFleetHosts(options: {
  store: Store;
  /** Name of this machine, whose GPUs may be a host, too. Other machines' local GPUs are skipped. */
  machineName: string;
  create: (spec: HostRow['spec']) => SshCompute;
  /** Folders that no run may see, on any host. */
  hidden: string[];
}): FleetHosts {
  const { store, create } = options;
  const hidden = new Set(options.hidden);
  const known = new Map<string, Known>();
  /** Connections of hosts that were changed: monitors may still follow runs through them. */
  const former = new Set<SshCompute>();

  const open = async (row: HostRow): Promise<SshCompute> => {
    const compute = create(row.spec);
    for (const folder of hidden) await compute.hide(folder);
    return compute;
  };
  const coresOf = (name: string): number | null => {
    const pool = known.get(name)?.row.poolSpec;
    return pool === undefined || pool.slots === 'cpu' ? (pool?.cores ?? 1) : null;
  };
  const healthyIn = (pool: string): SshCompute[] =>
    [...known.values()]
      .filter(({ row }) => row.pool === pool && row.seenAt !== null && row.quarantinedUntil === null)
      .map(({ compute }) => compute);
  return {
    rows: () => [...known.values()].map(({ row }) => row),
    async refresh() {
      const isReachable = ({ spec }: KnownHost) => spec.own === undefined || spec.own === options.machineName;
      const rows = (await store.host.findHosts()).filter(isReachable);
      for (const row of rows) {
        const spec = JSON.stringify(row.spec);
        const previous = known.get(row.name);
        if (previous && previous.spec !== spec) former.add(previous.compute);
        const compute = previous?.spec === spec ? previous.compute : await open(row);
        known.set(row.name, { row, spec, compute });
      }
      const removed = [...known.keys()].filter((name) => !rows.some((row) => row.name === name));
      for (const name of removed) {
        known.get(name)?.compute.close();
        known.delete(name);
      }
      for (const compute of former)
        if (compute.idleSeconds() >= UNUSED_SECONDS) {
          compute.close();
          former.delete(compute);
        }
    },
    computeOf: (name) => known.get(name)?.compute,
    envOf: (name) => {
      const row = known.get(name)?.row;
      return { ...row?.poolSpec.env, ...row?.spec.env };
    },
    coresOf,
    lostAfter: (name) => known.get(name)?.row.spec.lostAfterSeconds ?? Infinity,
    memoryOf: (name) => {
      const row = known.get(name)?.row;
      return row ? memoryForRun(row.poolSpec, row.facts) : null;
    },
    hardwareOf: ({ host, gpu }) => {
      const row = known.get(host)?.row;
      if (!row?.facts) return null;
      const sharing = slotsThatShare(row.poolSpec, row.spec, row.facts);
      return hardwareClass(row.facts, { gpu, cores: coresOf(host), sharing });
    },
    memoryIn: (pool) => {
      const rows = [...known.values()]
        .map(({ row }) => row)
        .filter((row) => row.pool === pool && row.state !== 'removed');
      const sizes = rows.map(({ poolSpec, facts }) => memoryForRun(poolSpec, facts) ?? Infinity);
      const most = Math.max(0, ...sizes);
      return rows.length > 0 && Number.isFinite(most) ? most : null;
    },
    async protections(mode, pool) {
      for (const compute of healthyIn(pool)) {
        const protections = await orNull(compute.protections(mode));
        if (protections !== null) return protections;
      }
      return null;
    },
    async missingTools(needs, pool) {
      let first: string[] = [];
      for (const compute of healthyIn(pool)) {
        const missing = await orNull(compute.missingTools(needs));
        if (missing?.length === 0) return [];
        if (first.length === 0) first = missing ?? [];
      }
      return first;
    },
    async hide(folder) {
      hidden.add(folder);
      for (const { compute } of known.values()) await compute.hide(folder);
    },
    close: () => {
      for (const { compute } of known.values()) compute.close();
      for (const compute of former) compute.close();
    },
  };
}

/** Answer of a host; null if the host fails. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HostError) return null;
    throw error;
  }
}
