import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { HostUnreachableError } from '../../../infra/compute.ts';
import { LOST, nothing, useAsked } from './support/asked.ts';

const { bench, ended } = useAsked();

test('a run that is asked on a host which goes away for good is lost, and what answers for it is ended by a look before that slot is lent', async () => {
  const { key, lease, worker, kept } = await ended('asked-away');
  const gone = () => Promise.reject(new HostUnreachableError('box', 'timeout', { message: 'no answer in 20 s' }));
  const away = worker(null, {
    hosts: { computeOf: () => ({ converse: gone }), heardSecondsAgo: () => 1e6, lostAfter: () => 0 },
  });
  await expect(away.score()).rejects.toMatchObject(LOST);
  expect(await kept()).toMatchObject(nothing);
  expect(await bench.store.slot.findLease(key.trialId)).toBeUndefined();
  expect(await bench.store.run.findOrphans('box')).toMatchObject([{ ...key, fence: lease.fence }]);
  const freed = await bench.db.execute(sql`select wanted from slots where id = ${lease.id}`);
  expect(freed.rows).toEqual([{ wanted: false }]);
});
