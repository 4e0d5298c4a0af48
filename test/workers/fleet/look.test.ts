import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runs } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { HostUnreachableError, type RunRef } from '../../../infra/compute.ts';
import type { SshCompute } from '../../../infra/compute/ssh.ts';
import { lookAt } from '../../../workers/fleet/look.ts';
import { insertTrials, useDatabase } from '../../db/queries/support.ts';

const bench = useDatabase();
/** With room for runs, and no GPU. */
const MACHINE = {
  ...{ boot: 'b', cores: 1, memoryMb: 8192, roomMb: 8192, gpus: [], uses: [], held: [] },
  ...{ gpuFault: null, clockAhead: 0, isRoot: false },
};

test('what is left on a host that is back is removed by the next look where one is cut off', async () => {
  const { store, db } = bench;
  await store.applyFleet(Fleet.parse({ pools: { p: { slots: 'cpu' } }, hosts: [{ name: 'box', pool: 'p' }] }));
  await db.execute(sql`update hosts set seen_at = now() - interval '1 hour', quarantined_until = now()`);
  await insertTrials(db, 'left', 2);
  const run = (n: number) => ({
    trialId: `left/${n}`,
    placement: 0,
    host: 'box',
    slotId: 's',
    fence: 1,
    endedAt: new Date(),
  });
  await db.insert(runs).values([run(1), run(2)]);
  await db.execute(sql`update trials set placement = 1, status = 'completed', ended_at = now()`);
  const removed: string[] = [];
  let left = 1;
  const compute = {
    machine: () => Promise.resolve(MACHINE),
    remove: ({ trialId }: RunRef) => {
      if ((left -= 1) < 0) return Promise.reject(new HostUnreachableError('box', 'closed', { message: 'cut off' }));
      removed.push(trialId);
      return Promise.resolve();
    },
  } as unknown as SshCompute;
  const look = async (): Promise<void> => {
    const [host] = await store.findHosts();
    if (!host) throw new Error('Expected the host');
    await lookAt({ store, compute }, host);
  };
  await expect(look()).rejects.toThrow('cut off');
  expect(removed).toEqual(['left/1']);
  left = 2;
  await look();
  expect(removed).toEqual(['left/1', 'left/1', 'left/2']);
  expect((await store.findHosts())[0]).toMatchObject({ quarantinedUntil: null, note: null });
});
