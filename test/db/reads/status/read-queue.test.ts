import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readQueue } from '../../../../db/reads/status/read-queue.ts';
import { jobs, runs, slots } from '../../../../db/schema.ts';
import { proposalJobOf } from '../../../../domain/agent/proposal-job.ts';
import { insertResearch, storeTrials, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

test('an agent waits for a place until it has one, and again once its machine has lost its run', async () => {
  await insertResearch(bench.db, 'asks');
  await storeTrials(bench.db, [trialRow('asks', 1), trialRow('asks', 2)]);
  const jobId = proposalJobOf('asks/2');
  const job = { kind: 'proposal', taskHash: 'task-1', pool: 'agents', priority: 3 } as const;
  const openedAt = new Date(Date.now() - 90_000);
  await bench.db.insert(jobs).values({ ...job, id: jobId, researchId: 'asks', openedAt, spec: { shape: 'to-an-end' } });
  const read = (n?: number) => readQueue(bench.db, { researchId: 'asks', ...(n === undefined ? {} : { n }) });
  const waits = { pool: 'agents', trials: 1, slots: 0, taken: 0, holders: [], away: [] };
  expect(await read()).toEqual({ ...waits, seconds: expect.closeTo(90, -2) as number });
  expect(await read(2)).toMatchObject(waits);
  expect(await read(1)).toBeNull();
  const place = { id: 'here/agents/0', pool: 'agents', host: 'here', index: 0 };
  await bench.db.insert(slots).values({ ...place, state: 'leased', jobId, fence: 1, leasedAt: new Date() });
  expect(await read()).toBeNull();
  const run = { jobId, placement: 0, host: 'here', slotId: place.id, fence: 1, launchedAt: new Date() };
  await bench.db.insert(runs).values(run);
  expect(await read()).toBeNull();
  await bench.db.execute(sql`update slots set state = 'free', trial_id = null where id = ${place.id}`);
  expect(await read()).toMatchObject({ ...waits, slots: 1 });
  // The pause after an outage of its endpoint is no wait for a place.
  await bench.db.execute(sql`update runs set ended_at = now(), "end" = '{"reason": "exit"}' where trial_id = ${jobId}`);
  expect(await read()).toBeNull();
  await bench.db.execute(sql`update runs set "end" = null where trial_id = ${jobId}`);
  expect(await read()).toMatchObject({ ...waits, slots: 1 });
  await bench.db.execute(sql`update jobs set ended_at = now() where id = ${jobId}`);
  expect(await read()).toBeNull();
});
