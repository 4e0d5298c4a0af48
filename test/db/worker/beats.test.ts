import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readPulse } from '../../../db/reads/page/read-pulse.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('the pulse is the newest beat of any worker, and a dead worker is forgotten after a day', async () => {
  expect(await readPulse(bench.db)).toEqual({ beatSeconds: null, needed: false });
  const { recordBeat } = bench.store.worker;
  for (const [index, workerId] of ['a', 'b', 'c'].entries())
    await recordBeat({ workerId, host: 'box', pid: index + 1 });
  await bench.db.execute(sql`update worker_beats set at = case worker_id
    when 'a' then now() - interval '25 hours' when 'b' then now() - interval '50 seconds'
    else now() - interval '40 seconds' end`);
  expect((await readPulse(bench.db)).beatSeconds).toBeCloseTo(40, -1);
  await recordBeat({ workerId: 'b', host: 'box', pid: 2 });
  expect((await readPulse(bench.db)).beatSeconds).toBeLessThan(30);
  const { rows } = await bench.db.execute(sql`select worker_id as id, pid from worker_beats order by 1`);
  expect(rows).toEqual([
    { id: 'b', pid: 2 },
    { id: 'c', pid: 3 },
  ]);
});

test('a worker is needed while a research has not ended', async () => {
  await insertResearch(bench.db, 'toy', { phase: 'running' });
  expect((await readPulse(bench.db)).needed).toBe(true);
  await bench.store.research.updateResearch('toy', { phase: 'stopped' });
  expect((await readPulse(bench.db)).needed).toBe(false);
});
