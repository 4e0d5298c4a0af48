import type { HostRow, KnownHost } from '../../db/host/fleet.ts';
import type { Store } from '../../db/store.ts';
import { memoryForRun } from '../../domain/fleet/memory.ts';
import type { ToolNeeds } from '../../domain/tools/needs.ts';
import { HostError, type Protections, type SandboxMode } from '../../infra/compute.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';

/** The hosts of the fleet as this worker knows them, each with its connection. */
export interface FleetHosts {
  /** As of the last refresh. */
  rows: () => KnownHost[];
  refresh: () => Promise<void>;
  /** Undefined for a host that the fleet does not have. */
  computeOf: (name: string) => SshCompute | undefined;
  /** What the fleet sets for runs on a host: the host's over the pool's. */
  envOf: (name: string) => Record<string, string>;
  /** CPU cores that a slot of a host is; null where it is a whole host, or a GPU. One on a host that is not known. */
  coresOf: (name: string) => number | null;
  /** Seconds after which runs of a host that is away are placed elsewhere. */
  lostAfter: (name: string) => number;
  /** MiB that a run on a host may take; null where nobody knows. */
  memoryOf: (name: string) => number | null;
  /** … on that host of a pool that gives most; null where nobody knows of one of them. */
  memoryIn: (pool: string) => number | null;
  /** What the first host of a pool that answers keeps runs from; null where none does. */
  protections: (mode: SandboxMode, pool: string) => Promise<Protections | null>;
  /** What the first host of a pool that answers lacks of what a task names; empty where another lacks nothing, or none answers. */
  missingTools: (needs: ToolNeeds, pool: string) => Promise<string[]>;
  /** Keeps a folder of this machine out of every sandbox: a host may be this very machine, or have the same files. */
  hide: (folder: string) => Promise<void>;
  close: () => void;
}

/** After that, nobody who looked a host up before it was changed is still about to use it. */
const QUIET_SECONDS = 600;

interface Known {
  row: KnownHost;
  spec: string;
  compute: SshCompute;
}

/** Connections are made when they are first needed. */
export function createFleetHosts(from: {
  store: Store;
  /** The name of this machine, whose GPUs may be a host, too; those of other machines are not reached from here. */
  own: string;
  create: (spec: HostRow['spec']) => SshCompute;
  /** Folders that no run may see, wherever it is. */
  hidden: string[];
}): FleetHosts {
  const { store, create } = from;
  const hidden = new Set(from.hidden);
  const known = new Map<string, Known>();
  /** Of hosts that were changed: runs may still be followed through them. */
  const former = new Set<SshCompute>();

  const open = async (row: HostRow): Promise<SshCompute> => {
    const compute = create(row.spec);
    for (const folder of hidden) await compute.hide(folder);
    return compute;
  };
  const wellIn = (pool: string): SshCompute[] =>
    [...known.values()]
      .filter(({ row }) => row.pool === pool && row.seenAt !== null && row.quarantinedUntil === null)
      .map(({ compute }) => compute);
  return {
    rows: () => [...known.values()].map(({ row }) => row),
    async refresh() {
      const rows = (await store.host.findHosts()).filter(({ spec }) => spec.own === undefined || spec.own === from.own);
      for (const row of rows) {
        const spec = JSON.stringify(row.spec);
        const before = known.get(row.name);
        if (before && before.spec !== spec) former.add(before.compute);
        const compute = before?.spec === spec ? before.compute : await open(row);
        known.set(row.name, { row, spec, compute });
      }
      const gone = [...known.keys()].filter((name) => !rows.some((row) => row.name === name));
      for (const name of gone) {
        known.get(name)?.compute.close();
        known.delete(name);
      }
      for (const compute of former)
        if (compute.idleSeconds() >= QUIET_SECONDS) {
          compute.close();
          former.delete(compute);
        }
    },
    computeOf: (name) => known.get(name)?.compute,
    envOf: (name) => {
      const row = known.get(name)?.row;
      return { ...row?.poolSpec.env, ...row?.spec.env };
    },
    coresOf: (name) => {
      const pool = known.get(name)?.row.poolSpec;
      return pool === undefined || pool.slots === 'cpu' ? (pool?.cores ?? 1) : null;
    },
    lostAfter: (name) => known.get(name)?.row.spec.lostAfterSeconds ?? Infinity,
    memoryOf: (name) => {
      const row = known.get(name)?.row;
      return row ? memoryForRun(row.poolSpec, row.facts) : null;
    },
    memoryIn: (pool) => {
      const rows = [...known.values()]
        .map(({ row }) => row)
        .filter((row) => row.pool === pool && row.state !== 'removed');
      const given = rows.map(({ poolSpec, facts }) => memoryForRun(poolSpec, facts) ?? Infinity);
      const most = Math.max(0, ...given);
      return rows.length > 0 && Number.isFinite(most) ? most : null;
    },
    async protections(mode, pool) {
      for (const compute of wellIn(pool)) {
        const said = await orAway(compute.protections(mode));
        if (said !== null) return said;
      }
      return null;
    },
    async missingTools(needs, pool) {
      let first: string[] = [];
      for (const compute of wellIn(pool)) {
        const lacking = await orAway(compute.missingTools(needs));
        if (lacking?.length === 0) return [];
        if (first.length === 0) first = lacking ?? [];
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

/** Null where the host fails. */
async function orAway<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HostError) return null;
    throw error;
  }
}
