import type { Worker } from '@temporalio/worker';
import type { Permits } from '../queues/permits.ts';

/** Pools of the fleet that this worker serves. */
export interface FleetPools {
  /** Starts to serve new pools, and stops to serve removed ones. */
  serve: (pools: readonly string[]) => Promise<void>;
  takeOffer: Permits['takeOffer'] extends () => infer R ? (pool: string) => R : never;
  /** Reports that a slot may have become free, in a pool, or in any if `pool` is empty. */
  wake: (pool: string) => void;
  close: () => Promise<void>;
}

interface Served {
  permits: Permits;
  worker: Worker;
  ended: Promise<void>;
}

/** Creates a worker and permits for each pool. */
export function createFleetPools(options: {
  createPermits: (pool: string) => Permits;
  createWorker: (pool: string, permits: Permits) => Promise<Worker>;
  onError: (error: unknown) => void;
}): FleetPools {
  const { createPermits, createWorker, onError } = options;
  const served = new Map<string, Served>();

  const begin = async (pool: string): Promise<void> => {
    const permits = createPermits(pool);
    const worker = await createWorker(pool, permits).catch(async (error: unknown) => {
      await permits.close();
      throw error;
    });
    const run = async (): Promise<void> => {
      try {
        await worker.run();
      } catch (error) {
        // The next round starts a new worker.
        onError(error);
      } finally {
        served.delete(pool);
        await permits.close();
      }
    };
    served.set(pool, { permits, worker, ended: run() });
  };
  const end = async ({ worker, ended }: Served): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
  };
  return {
    async serve(pools) {
      // A pool that fails to start must not block the others; the next round tries again.
      for (const pool of pools) if (!served.has(pool)) await begin(pool).catch(onError);
      for (const [pool, entry] of served) if (!pools.includes(pool)) void end(entry).catch(onError);
    },
    takeOffer: (pool) => served.get(pool)?.permits.takeOffer() ?? null,
    wake: (pool) => {
      for (const [name, { permits }] of served) if (pool === '' || name === pool) permits.wake();
    },
    close: async () => void (await Promise.all([...served.values()].map(end))),
  };
}
