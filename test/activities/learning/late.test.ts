import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readLearningState } from '../../../activities/learning/read-learning-state.ts';
import { readSample } from '../../../db/reads/policy/read-samples.ts';
import { events, trials, updates } from '../../../db/schema.ts';
import type { StepBatch } from '../../../domain/learning/step.ts';
import type { UpdatePlan } from '../../../domain/learning/plan.ts';
import { useDatabase } from '../../db/support.ts';
import { resultOf, useLearner } from './support/learner.ts';
import { useLearning } from './support/learning.ts';

const bench = useDatabase();
const { learning, begun, drawn, end, sampled } = useLearning(bench);
const learner = useLearner(bench);

const FOUR = { name: 'grpo', batch: 4, group: 2, gates: [], lateSeconds: 60 };
const LOST = { status: 'lost', failure: { label: 'machine-lost', message: 'gone' } } as const;

const updatesOf = (id: string) => bench.db.select().from(updates).where(eq(updates.researchId, id)).orderBy(updates.k);
const stands = (id: string) => bench.store.withResearch(id, readLearningState);
/** Moves the ends of a research's trials so many seconds into the past. */
const seconds = (id: string, passed: number) =>
  bench.db
    .update(trials)
    .set({ endedAt: sql`ended_at - make_interval(secs => ${passed})` })
    .where(eq(trials.researchId, id));

test('a member that is late is left out once its time is over, and is never learnt from', async () => {
  await learning('slow', FOUR);
  for (const n of [1, 2, 3]) await sampled('slow', n, FOUR);
  await drawn('slow', 4, FOUR);
  await seconds('slow', 30);
  expect(await stands('slow')).toMatchObject({ due: null });
  await seconds('slow', 31);
  expect(await stands('slow')).toMatchObject({ due: 1 });
  expect(await updatesOf('slow')).toMatchObject([{ k: 1, state: 'due', batch: ['slow/1', 'slow/2', 'slow/3'] }]);
  // Trial 4 ends before the update has begun, and in vain: the batch is fixed.
  await end('slow', 4);
  let learnt: StepBatch | undefined;
  await learner(async (batch) => ((learnt = batch), resultOf(batch)))('slow', 1);
  expect(learnt?.rollouts.map(({ id }) => id)).toEqual(['slow/1', 'slow/2', 'slow/3']);
  expect(await updatesOf('slow')).toMatchObject([
    { state: 'done', skipped: [{ id: 'slow/4', reason: expect.stringMatching(/^late: /) as string }] },
  ]);
  const sample = await readSample(bench.db, { trialId: 'slow/4', plan: {} as UpdatePlan });
  expect(sample?.update).toMatchObject({ k: 1, state: 'done', skipped: expect.stringMatching(/^late: /) as string });
  const dueEvents = await bench.db.select().from(events).where(eq(events.kind, 'update-due'));
  expect(dueEvents).toMatchObject([{ data: { k: 1, samples: 3 } }]);
  // Its place is taken: the next batch has room for four.
  expect(await stands('slow')).toMatchObject({ room: 4, due: null });
});

test('the time of a late member begins again with each outcome, once half of its batch has ended', async () => {
  await learning('halves', FOUR);
  await sampled('halves', 1, FOUR);
  for (const n of [2, 3, 4]) await drawn('halves', n, FOUR);
  await seconds('halves', 1000);
  expect(await stands('halves')).toMatchObject({ due: null });
  await end('halves', 2);
  expect(await stands('halves')).toMatchObject({ due: null });
  await seconds('halves', 61);
  expect(await stands('halves')).toMatchObject({ due: 1 });
});

test('a batch that lacks samples that have not begun waits for them', async () => {
  await learning('short', FOUR);
  for (const n of [1, 2, 3]) await sampled('short', n, FOUR);
  await seconds('short', 1000);
  expect(await stands('short')).toMatchObject({ due: null, room: 1 });
});

test('the default time of a late member is ten minutes and ten runs', async () => {
  const usual = { name: 'grpo', batch: 2, group: 2, gates: [] };
  await learning('usual', usual);
  await sampled('usual', 1);
  await begun('usual', 2);
  // A run of this task is meant to take a minute.
  await seconds('usual', 500);
  expect(await stands('usual')).toMatchObject({ due: null });
  await seconds('usual', 100_000);
  expect(await stands('usual')).toMatchObject({ due: 1 });
});

test('a lost member keeps nothing waiting, and is not learnt from', async () => {
  await learning('lost', FOUR);
  for (const n of [1, 2, 3]) await sampled('lost', n, FOUR);
  await drawn('lost', 4, FOUR);
  await end('lost', 4, LOST);
  expect(await stands('lost')).toMatchObject({ due: 1 });
  let learnt: StepBatch | undefined;
  await learner(async (batch) => ((learnt = batch), resultOf(batch)))('lost', 1);
  expect(learnt?.rollouts).toHaveLength(3);
  expect(await updatesOf('lost')).toMatchObject([
    {
      batch: [1, 2, 3, 4].map((n) => `lost/${n}`),
      skipped: [{ id: 'lost/4', reason: expect.stringContaining('lost') as string }],
    },
  ]);
});

test('a later batch that is whole first waits for its turn, and none is forgotten', async () => {
  const ahead = { ...FOUR, batch: 2, staleness: 1 };
  await learning('ahead', ahead);
  await drawn('ahead', 1, ahead);
  await sampled('ahead', 2, ahead);
  for (const n of [3, 4]) await sampled('ahead', n, ahead);
  expect(await updatesOf('ahead')).toEqual([]);
  await end('ahead', 1);
  expect(await updatesOf('ahead')).toMatchObject([
    { k: 1, batch: ['ahead/1', 'ahead/2'] },
    { k: 2, batch: ['ahead/3', 'ahead/4'] },
  ]);
});
