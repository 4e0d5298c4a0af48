import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { jobs, trials } from '../../../db/schema.ts';
import { insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

test('what a worker of 0.1 did after the migration is mended: trials without a job, jobs of trials that ended', async () => {
  await insertResearch(bench.db, 'late', { lastN: 3 });
  const rows = [1, 2, 3].map((n) => trialRow('late', n, n === 2 ? { status: 'lost', endedAt: new Date(5000) } : {}));
  await bench.db.insert(trials).values(rows);
  const job = {
    kind: 'trial' as const,
    researchId: 'late',
    pool: 'local',
    priority: 3,
    spec: { shape: 'to-an-end' as const },
  };
  await bench.db.insert(jobs).values([
    { ...job, id: 'late/2' },
    { ...job, id: 'late/3' },
  ]);
  const state = async () => {
    const found = await bench.db.select().from(jobs).where(eq(jobs.researchId, 'late')).orderBy(jobs.id);
    return found.map(({ id, endedAt }) => [id, endedAt?.getTime() ?? null]);
  };
  await bench.store.trial.mendJobs();
  const mended = [
    ['late/1', null],
    ['late/2', 5000],
    ['late/3', null],
  ];
  expect(await state()).toEqual(mended);
  await bench.store.trial.mendJobs();
  expect(await state()).toEqual(mended);
});
