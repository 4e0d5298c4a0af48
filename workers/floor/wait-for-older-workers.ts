import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLOOR } from '../../domain/floor/floor.ts';
import { floorOfIdentity, parseIdentity } from '../../domain/floor/identity.ts';
import { QUEUES } from '../../domain/messages/names.ts';
import { identify } from '../../infra/process/identity.ts';
import { listPollers } from '../../infra/temporal/open-runs.ts';
import type { FloorDeps } from './floor-deps.ts';

const ASK_EVERY_MS = 3000;

/** The process was asked to stop while it waited for a worker of an older version. */
export class StoppedWaitingError extends Error {
  override readonly name = 'StoppedWaitingError';
}

interface From extends Pick<FloorDeps, 'client' | 'store' | 'warn'> {
  /** Queues whose pollers must be of this version, beside those of the fleet's pools. */
  queues: readonly string[];
  /** Aborted where the process is asked to stop. */
  signal: AbortSignal;
}

/**
 * Waits until no worker of an older version polls, before the database is migrated: it would go on with what is ended here,
 * and knows nothing of newer tables. Says so, once for each of them.
 */
export async function waitForOlderWorkers({ client, store, queues, warn, signal }: From): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const pools = await store.host.findPools();
    const others = (await listPollers(client, [...queues, ...pools.map(QUEUES.fleet)])).filter(isOlder);
    if (others.length === 0) return;
    for (const other of others.filter((name) => !told.has(name))) {
      told.add(other);
      const line = `a worker of an older version still polls (${other}): stop it; this one waits, and goes on with the researches when it is gone, within 70 s`;
      warn(line);
      await alertAll(store, line);
    }
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted)
      throw new StoppedWaitingError(`stopped while it waited for a worker of an older version (${others.join(', ')})`);
  }
}

/** In the status of each research that is under way; a database that is not there yet has none. */
async function alertAll(store: From['store'], message: string): Promise<void> {
  const { researchIds } = await store.research.findOpenIds().catch(() => ({ researchIds: [] }));
  for (const researchId of researchIds) await store.research.insertAlert({ researchId, message, once: true });
}

/** A worker of this machine whose process is gone polls no more, whatever the server still lists. */
function isOlder(identity: string): boolean {
  if (floorOfIdentity(identity) >= FLOOR) return false;
  const place = parseIdentity(identity);
  return place?.host !== hostname() || identify(place.pid) !== undefined;
}
