import type { KillPoint } from '../../activities/deps.ts';
import type { HostRow } from '../../db/host/fleet.ts';
import type { Store } from '../../db/store.ts';
import { failedHost } from '../../domain/fault/attribute.ts';
import type { SshCompute } from '../../infra/compute/ssh.ts';
import type { FleetHosts } from './hosts.ts';
import { probeHost } from './probe-host.ts';
import type { FleetPools } from './pools.ts';

const ROUND_MS = 2000;
/** Looks at once: each may take as long as a host does not answer. */
const LOOKS_AT_ONCE = 32;

export interface FleetService {
  /** Something changed: the next round comes at once. */
  hurry: () => void;
  /** Ends rounds and the workers of the pools; what they do goes on to its end. */
  stop: () => Promise<void>;
  /** Resolves once it was asked to stop. */
  stopped: Promise<void>;
  /** Ends the connections, when nothing works with them any more. */
  close: () => Promise<void>;
}

/** Goes round the fleet until it is closed: what was applied, which pools to serve, which hosts to look at. */
export function serveFleet(from: {
  store: Store;
  hosts: FleetHosts;
  pools: FleetPools;
  /** Whether this worker launches for a pool at all. */
  serves: (pool: string) => boolean;
  onError: (error: unknown) => void;
  reach: (point: KillPoint) => void;
}): FleetService {
  const { store, hosts, pools, serves, onError, reach } = from;
  const looking = new Map<string, Promise<void>>();
  let closed = false;
  let news = false;
  let wake = (): void => undefined;
  const hurry = (): void => {
    news = true;
    wake();
  };

  const look = async (row: HostRow, compute: SshCompute): Promise<void> => {
    const mark = await store.host.claimProbe(row.name);
    if (mark === null) return;
    try {
      await probeHost({ store, compute, reach }, { ...row, mark });
    } catch (error) {
      // Ended by us, with its connection: no fault of the host.
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
        looking.has(row.name) ||
        looking.size >= LOOKS_AT_ONCE ||
        // The database decides which worker looks.
        !row.due
      )
        continue;
      looking.set(
        row.name,
        look(row, compute)
          .catch(onError)
          .finally(() => looking.delete(row.name)),
      );
    }
  };
  const run = async (): Promise<void> => {
    while (!closed) {
      await round().catch(onError);
      // What came in during the round is news, too.
      if (!news)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ROUND_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      news = false;
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
      await Promise.all(looking.values());
    },
  };
}
