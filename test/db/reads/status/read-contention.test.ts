import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runs } from '../../../../db/schema.ts';
import { readContention } from '../../../../db/reads/status/read-contention.ts';
import { readFailedBaseline } from '../../../../db/reads/status/read-failed-baseline.ts';
import { readLosingStreak } from '../../../../db/reads/status/read-losing-streak.ts';
import { readQueue } from '../../../../db/reads/status/read-queue.ts';
import { BASELINE, insertResearch, trialRow, storeTrials } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

const STARVED = 'other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s; load 11.6 on 2 cores';
const run = { host: 'node3', slotId: 'node3/0', fence: 1, launchedAt: new Date(), end: { reason: 'wall' } };
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

test('the contended runs of the last hour are counted, with the newest one and its machine', async () => {
  await insertResearch(bench.db, 'busy', { lastN: 3 });
  expect(await readContention(bench.db, { researchId: 'busy' })).toBeNull();
  await storeTrials(
    bench.db,
    [1, 2, 3].map((n) => trialRow('busy', n)),
  );
  await bench.db.insert(runs).values([
    { ...run, jobId: 'busy/1', placement: 0, endedAt: minutesAgo(90), contention: 'long ago' },
    { ...run, jobId: 'busy/1', placement: 1, endedAt: minutesAgo(50), contention: 'before' },
    { ...run, jobId: 'busy/2', placement: 0, endedAt: minutesAgo(10), contention: STARVED },
    { ...run, jobId: 'busy/3', placement: 0, endedAt: minutesAgo(1), host: 'other' },
  ]);
  expect(await readContention(bench.db, { researchId: 'busy' })).toEqual({
    runs: 2,
    newest: { trialId: 'busy/2', host: 'node3', words: STARVED },
  });
  await bench.db
    .update(runs)
    .set({ endedAt: sql`now() - interval '2 hours'` })
    .where(eq(runs.contention, STARVED));
  expect(await readContention(bench.db, { researchId: 'busy' })).toMatchObject({
    runs: 1,
    newest: { words: 'before' },
  });
});

test('a trial whose run was contended waits for a slot again', async () => {
  await insertResearch(bench.db, 'again', { lastN: 1 });
  await storeTrials(bench.db, [trialRow('again', 1, { candidateId: BASELINE, readyAt: new Date() })]);
  await bench.db.insert(runs).values({ ...run, jobId: 'again/1', placement: 0, endedAt: new Date() });
  expect(await readQueue(bench.db, { researchId: 'again' })).toBeNull();
  await bench.db.update(runs).set({ contention: STARVED }).where(eq(runs.jobId, 'again/1'));
  expect(await readQueue(bench.db, { researchId: 'again' })).toMatchObject({ trials: 1 });
});

test('trials that a busy machine ended are no failures of the proposals or of the baseline', async () => {
  await insertResearch(bench.db, 'starved', { lastN: 3 });
  const ended = { kind: 'baseline', candidateId: BASELINE, status: 'lost', failure: 'contended' } as const;
  await storeTrials(
    bench.db,
    [1, 2, 3].map((n) => trialRow('starved', n, { ...ended, endedAt: minutesAgo(4 - n) })),
  );
  const research = { id: 'starved', baselineCandidate: BASELINE };
  expect(await readLosingStreak(bench.db, { researchId: 'starved' })).toBeNull();
  expect(await readFailedBaseline(bench.db, research)).toBeNull();
  await bench.db.execute(sql`update trials set failure = 'machine-lost' where research_id = 'starved'`);
  expect(await readLosingStreak(bench.db, { researchId: 'starved' })).toMatchObject({ trials: 3 });
  expect(await readFailedBaseline(bench.db, research)).toMatchObject({ trials: 3 });
});
