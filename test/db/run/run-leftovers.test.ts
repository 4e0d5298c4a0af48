import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { runs } from '../../../db/schema.ts';
import { insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();
const HOSTS = ['a', 'b', 'c'];

test('leftovers of placements of settled trials are found on sound hosts, and on one that comes back', async () => {
  const { store, db } = bench;
  await store.host.applyFleet(
    Fleet.parse({ pools: { p: { slots: 'cpu' } }, hosts: HOSTS.map((name) => ({ name, pool: 'p' })) }),
  );
  await db.execute(sql`update hosts set seen_at = now()`);
  await insertTrials(db, 'left', 2);
  const placed = (n: number, placement: number, host: string, ended = true) => ({
    jobId: `left/${n}`,
    placement,
    host,
    slotId: `${host}/p/0`,
    fence: placement + 1,
    endedAt: ended ? new Date() : null,
  });
  await db.insert(runs).values([placed(1, 0, 'a'), placed(1, 1, 'b', false), placed(1, 2, 'c'), placed(2, 0, 'a')]);
  await db.execute(sql`update trials set placement = 2 where id = 'left/1'`);
  const last = { jobId: 'left/1', placement: 2 };
  const ofFirst = [{ jobId: 'left/1', placement: 0, host: 'a' }];
  // A probe ends the run on b, and removes its leftovers, too.
  expect(await store.run.findEarlierPlacements(last)).toEqual(ofFirst);
  const onA = (since: Date | null) => store.run.findLeftoversOn({ host: 'a', since });
  expect(await onA(null)).toEqual([]);
  await db.execute(sql`update trials set status = 'completed', ended_at = now() where id in ('left/1', 'left/2')`);
  await db.execute(sql`update jobs set ended_at = now() where id in ('left/1', 'left/2')`);
  expect(await onA(null)).toEqual(ofFirst);
  expect(await onA(new Date())).toEqual(ofFirst);
  expect(await onA(new Date(Date.now() + 7_200_000))).toEqual([]);
  // Scoring removes the leftovers of a completed run, so only those of a run that a person stopped are found.
  const onC = () => store.run.findLeftoversOn({ host: 'c', since: null });
  expect(await onC()).toEqual([]);
  await db.execute(sql`update trials set status = 'aborted', failure = 'stopped-by-operator' where id = 'left/1'`);
  expect(await onC()).toEqual([{ ...last, host: 'c' }]);
  await store.host.noteHostFailure({ name: 'a', message: 'away' });
  expect(await store.run.findEarlierPlacements(last)).toEqual([]);
});
