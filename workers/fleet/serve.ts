import type { KillPoint } from '../../activities/deps.ts';
import type { HostRow } from '../../db/host/fleet.ts';
import type { Store } from '../../db/store.ts';
import { failedHost } from '../../domain/fault/attribute.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';
import type { FleetHosts } from './hosts.ts';
import { probeHost } from './probe-host.ts';
import type { FleetPools } from './pools.ts';

const ROUND_MS = 2000;
/** Most probes at once: each may wait as long as its host does not answer. */
const PROBES_AT_ONCE = 32;

export interface FleetService {
  /** Starts the next round at once, after a change. */
  hurry: () => void;
  /** Ends rounds and the workers of the pools; their current work continues to its end. */
  stop: () => Promise<void>;
  /** Resolves once rounds have ended after a stop. */
  stopped: Promise<void>;
  /** Closes the connections; call it when nothing uses them any more. */
  close: () => Promise<void>;
}

/**
 * Repeats rounds over the fleet until it is stopped: reads the hosts, serves their pools and probes the hosts that are
 * due.
 */
export function serveFleet(options: {
  store: Store;
  hosts: FleetHosts;
  pools: FleetPools;
  /** True if this worker launches for a pool. */
  serves: (pool: string) => boolean;
  onError: (error: unknown) => void;
  reach: (point: KillPoint) => void;
}): FleetService {
  const { store, hosts, pools, serves, onError, reach } = options;
  const probing = new Map<string, Promise<void>>();
  let closed = false;
  let hurried = false;
  let wake = (): void => undefined;
  const hurry = (): void => {
    hurried = true;
    wake();
  };

  const probe = async (row: HostRow, compute: SshCompute): Promise<void> => {
    const mark = await store.host.claimProbe(row.name);
    if (mark === null) return;
    try {
      await probeHost({ store, compute, reach }, { ...row, mark });
    } catch (error) {
      // This worker closed the connection: the host did not fail.
      if (closed) return;
      const message = failedHost(error);
      if (message === null) throw error;
      await store.host.noteHostFailure({ name: row.name, message });
    }
  };
  const round = async (): Promise<void> => {
    await hosts.refresh();
    if (closed) return;
    await pools.serve(
      [
        ...new Set(
          hosts
            .rows()
            .filter(({ state }) => state !== 'removed')
            .map(({ pool }) => pool),
        ),
      ].filter(serves),
    );
    for (const row of hosts.rows()) {
      const compute = hosts.computeOf(row.name);
      // A worker that does not serve a pool may lack the keys of its hosts.
      if (
        !compute ||
        !serves(row.pool) ||
        probing.has(row.name) ||
        probing.size >= PROBES_AT_ONCE ||
        // The database decides which worker probes.
        !row.due
      )
        continue;
      probing.set(
        row.name,
        probe(row, compute)
          .catch(onError)
          .finally(() => probing.delete(row.name)),
      );
    }
  };
  const run = async (): Promise<void> => {
    while (!closed) {
      await round().catch(onError);
      // A change during the round starts the next one at once.
      if (!hurried)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ROUND_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      hurried = false;
    }
  };
  const ended = run();
  return {
    hurry,
    stopped: ended,
    stop: async () => {
      closed = true;
      hurry();
      await ended;
      await pools.close();
    },
    close: async () => {
      hosts.close();
      await Promise.all(probing.values());
    },
  };
}
