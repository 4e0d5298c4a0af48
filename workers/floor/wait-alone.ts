import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLOOR } from '../../domain/floor/floor.ts';
import { floorOfIdentity, placeOfIdentity } from '../../domain/floor/identity.ts';
import { parseTrialId } from '../../domain/ids.ts';
import { identify } from '../../infra/process/identity.ts';
import type { OpenRun } from '../../infra/temporal/open-runs.ts';
import { listPollers } from '../../infra/temporal/pollers.ts';
import type { FloorDeps } from './floor-deps.ts';

const ASK_EVERY_MS = 3000;

/** The process was asked to stop while it waited for a worker of an older version. */
export class StoppedWaitingError extends Error {
  override readonly name = 'StoppedWaitingError';
}

/** Waits until no worker of an older version polls: it would go on with what is ended here. Says so, once for each of them. */
export async function waitAlone(
  { client, store, queues, warn, signal }: FloorDeps,
  old: readonly OpenRun[],
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const others = (await listPollers(client, queues)).filter(isOlder);
    if (others.length === 0) return;
    for (const other of others.filter((name) => !told.has(name))) {
      told.add(other);
      const line = `a worker of an older version still polls (${other}): stop it; this one waits, and goes on with the researches when it is gone, within 70 s`;
      warn(line);
      for (const researchId of new Set(old.map(researchOf)))
        await store.research.insertAlert({ researchId, message: line, once: true });
    }
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted)
      throw new StoppedWaitingError(`stopped while it waited for a worker of an older version (${others.join(', ')})`);
  }
}

const researchOf = ({ type, workflowId }: OpenRun): string =>
  (type === 'trial' ? parseTrialId(workflowId)?.researchId : undefined) ?? workflowId;

/** A worker of this machine whose process is gone polls no more, whatever the server still lists. */
function isOlder(identity: string): boolean {
  if (floorOfIdentity(identity) >= FLOOR) return false;
  const place = placeOfIdentity(identity);
  return place?.host !== hostname() || identify(place.pid) !== undefined;
}
