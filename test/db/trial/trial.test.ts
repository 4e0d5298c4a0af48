import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { runs, trials, calls, jobs } from '../../../db/schema.ts';
import { insertReadyTrial, useDatabase, insertTrials } from '../support.ts';
import { insertResearch, trialRow } from '../../cli/support/lineage.ts';

const bench = useDatabase();

test('the history of a trial that was placed twice shows the log of its last placement', async () => {
  const trialId = await insertReadyTrial(bench.db, 'placed');
  const run = { jobId: trialId, host: 'placed', slotId: 'placed/0' };
  await bench.db.insert(runs).values([
    { ...run, placement: 0, fence: 1, logTail: 'first' },
    { ...run, placement: 1, fence: 2, logTail: 'second' },
  ]);
  await bench.db.update(trials).set({ status: 'crashed', placement: 1 }).where(eq(trials.id, trialId));
  const history = await bench.store.trial.findHistory({ researchId: 'placed', limit: 5 });
  expect(history.map(({ n, log }) => ({ n, log }))).toEqual([{ n: 1, log: 'second' }]);
});

describe('the downtime of an endpoint', () => {
  const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);

  type Row = Partial<typeof calls.$inferInsert>;
  /** A call that was last sent at that second, and answered two seconds later. */
  const answered = (seconds: number, more: Row = {}): Row => ({
    sentAt: at(seconds),
    answeredAt: at(seconds + 2),
    ...more,
  });
  /** A call whose request was refused, or whose answer was unreadable: the next turn follows. */
  const refused = (seconds: number): Row => ({ sentAt: at(seconds), failed: 1, error: '400: too long' });

  test.each<[what: string, rows: Row[], seconds: number]>([
    ['every call was answered at once', [answered(1), answered(3)], 0],
    ['a request was refused', [refused(1), answered(2)], 0],
    ['it was down for an hour at the first request', [answered(3600, { failed: 9 })], 3600],
    ['it was down at the second request', [answered(1), answered(603, { failed: 3 }), answered(605)], 600],
    ['it was down twice after a refusal', [refused(1), answered(31, { failed: 2 }), answered(43, { failed: 1 })], 40],
    ['it is still down', [{ sentAt: at(60), failed: 3, error: 'connection refused' }], 0],
  ])('is measured if %s', async (what, rows, seconds) => {
    await insertTrials(bench.db, what, 1);
    const trialId = `${what}/1`;
    await bench.db
      .update(trials)
      .set({ createdAt: at(0), readyAt: at(4000), status: 'completed' })
      .where(eq(trials.id, trialId));
    await bench.db.insert(calls).values(rows.map((row, turn) => ({ trialId, turn, model: 'm', request: {}, ...row })));
    expect(await bench.store.trial.readEndpointOutageSeconds(trialId)).toBe(seconds);
    const outcomes = await bench.store.trial.findOutcomes({ researchId: what, ns: [1] });
    expect(outcomes).toMatchObject([{ n: 1, proposeSeconds: 4000 - seconds }]);
  });
});

test('missing jobs and open jobs of ended trials, which a worker of 0.1 left, are repaired', async () => {
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
  await bench.store.trial.repairJobs();
  const repaired = [
    ['late/1', null],
    ['late/2', 5000],
    ['late/3', null],
  ];
  expect(await state()).toEqual(repaired);
  await bench.store.trial.repairJobs();
  expect(await state()).toEqual(repaired);
});
