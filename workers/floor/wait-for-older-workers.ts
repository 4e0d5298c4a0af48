import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLOOR } from '../../domain/floor/floor.ts';
import { floorOfIdentity, parseIdentity } from '../../domain/floor/identity.ts';
import { QUEUES } from '../../domain/messages/names.ts';
import { identify } from '../../infra/process/identity.ts';
import { listPollers } from '../../infra/temporal/open-runs.ts';
import type { FloorDeps } from './floor-deps.ts';

const ASK_EVERY_MS = 3000;

/** Error: the process had to stop while it waited for a worker of an older version. */
export class StoppedWaitingError extends Error {
  override readonly name = 'StoppedWaitingError';
}

interface From extends Pick<FloorDeps, 'client' | 'store' | 'warn'> {
  /** Queues whose pollers must be of this version, beside those of the fleet's pools. */
  queues: readonly string[];
  /** Signal that aborts when the process is to stop. */
  signal: AbortSignal;
}

/**
 * Waits until no worker of an older version polls. It must end before the database is migrated: an older worker would
 * continue workflows that are terminated here, and cannot use newer tables. Warns once about each worker.
 */
export async function waitForOlderWorkers({ client, store, queues, warn, signal }: From): Promise<void> {
  const reported = new Set<string>();
  for (;;) {
    const pools = await store.host.findPools();
    const others = (await listPollers(client, [...queues, ...pools.map(QUEUES.fleet)])).filter(isOlder);
    if (others.length === 0) return;
    for (const other of others.filter((name) => !reported.has(name))) {
      reported.add(other);
      const line =
        `a worker of an older version still runs (${other}): stop it. ` +
        'The new worker waits for its end, and continues the researches within 70 s';
      warn(line);
      await alertAll(store, line);
    }
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted)
      throw new StoppedWaitingError(`stopped while it waited for a worker of an older version (${others.join(', ')})`);
  }
}

/** Stores an alert for each research under way; a database that does not exist yet has none. */
async function alertAll(store: From['store'], message: string): Promise<void> {
  const { researchIds } = await store.research.findOpenIds().catch(() => ({ researchIds: [] }));
  for (const researchId of researchIds) await store.research.insertAlert({ researchId, message, once: true });
}

/**
 * True for a worker of an older version, unless it ran on this machine and its process is gone: it polls no more then.
 */
function isOlder(identity: string): boolean {
  if (floorOfIdentity(identity) >= FLOOR) return false;
  const place = parseIdentity(identity);
  return place?.host !== hostname() || identify(place.pid) !== undefined;
}
