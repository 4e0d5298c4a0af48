import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { taskVersions, trials, wantedRuns } from '../../../db/schema.ts';
import { storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { useLearner } from './support/learner.ts';
import { GRPO, useLearning } from './support/learning.ts';

const bench = useDatabase();
const { learning, sampled } = useLearning(bench);
const learner = useLearner(bench);
const EVERY_SECOND = { ...GRPO, eval: { every: 2, samples: 2 } };

/** Versions of the requested samples, in the order of the requests. */
const requested = async (id: string): Promise<unknown[]> => {
  const { rows } = await bench.db.execute<{ version: number }>(sql`
    select (proposal ->> 'version')::int as version from wanted_runs
    where research_id = ${id} and kind = 'evaluation' order by id`);
  return rows.map(({ version }) => version);
};
async function learnt(id: string, ks: number[], update: object = EVERY_SECOND): Promise<void> {
  for (const k of ks) {
    for (const n of [2 * k - 1, 2 * k]) await sampled(id, n, update);
    await learner()(id, k);
  }
}

test('the first version brings the evaluation of version 0, and each second version its own, once', async () => {
  await learning('every', EVERY_SECOND);
  await learnt('every', [1]);
  expect(await requested('every')).toEqual([0, 0]);
  await learner()('every', 1);
  await learnt('every', [2, 3, 4]);
  expect(await requested('every')).toEqual([0, 0, 2, 2, 4, 4]);
});

test('version 0 is evaluated again under another version of the task, whose values do not compare', async () => {
  await learning('moved', EVERY_SECOND);
  await learnt('moved', [1]);
  await storeTrials(bench.db, trialRow('moved', 101, { kind: 'evaluation' }));
  const first = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'moved')).limit(1);
  await bench.store.research.numberWantedRuns([{ id: first[0]?.id ?? 0, n: 101 }]);
  const withdraw = () => bench.store.withResearch('moved', (tx) => tx.research.withdrawEvaluations('moved'));
  expect([await withdraw(), await withdraw()]).toEqual([1, 0]);
  await learnt('moved', [2]);
  expect(await requested('moved')).toEqual([0, 2, 2]);
  const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  await bench.db.insert(taskVersions).values({ ...names, hash: 'task-2', task: TASK, mutablePaths: [] });
  await bench.db.execute(sql`update researches set task_hash = 'task-2' where id = 'moved'`);
  await learnt('moved', [3]);
  expect(await requested('moved')).toEqual([0, 2, 2, 0, 0]);
});

test('a research without the setting requests nothing', async () => {
  await learning('plain');
  await learnt('plain', [1, 2], GRPO);
  expect(await requested('plain')).toEqual([]);
});

test('samples of an evaluation have seeds of a root of their own', async () => {
  const root = 'shared';
  const seedsOf = async (id: string, kind: 'search' | 'evaluation'): Promise<unknown[]> => {
    const rows = await bench.db.select().from(trials).where(eq(trials.researchId, id)).orderBy(trials.n);
    return rows.filter((row) => row.kind === kind).map(({ seed, evaluatorSeed }) => [seed, evaluatorSeed]);
  };
  for (const id of ['one', 'other']) {
    await learning(id, EVERY_SECOND);
    await bench.db.execute(sql`update researches set seed_root = ${root}, admitted = '{}' where id = ${id}`);
    await bench.store.withResearch(id, async (tx, { baselineCandidate: candidateId }) =>
      tx.research.insertEvaluations({ researchId: id, candidateId, version: 0, samples: 4 }),
    );
    const ask = { researchId: id, key: 'k', room: 16, window: 16, activeSeconds: 0 };
    // The other research admits its evaluations alone.
    await admitTrials(bench.store, { ...ask, proposals: id === 'one' });
  }
  const held = await seedsOf('one', 'evaluation');
  expect(held).toHaveLength(4);
  expect(await seedsOf('other', 'evaluation')).toEqual(held);
  const drawn = await seedsOf('one', 'search');
  expect(drawn.length).toBeGreaterThan(0);
  expect(new Set([...drawn, ...held].flat()).size).toBe(2 * (drawn.length + held.length));
});

test('evaluations wait while the budget forbids any run, and go on once it is raised', async () => {
  await learning('spent', EVERY_SECOND);
  const budget = (hours: number) =>
    bench.db.execute(sql`
    update researches set budget = budget || ${JSON.stringify({ hours })}::jsonb where id = 'spent'`);
  await bench.store.withResearch('spent', (tx, { baselineCandidate: candidateId }) =>
    tx.research.insertEvaluations({ researchId: 'spent', candidateId, version: 0, samples: 3 }),
  );
  const kindsAt = async (key: string) =>
    (
      await admitTrials(bench.store, {
        researchId: 'spent',
        key,
        room: 3,
        window: 3,
        activeSeconds: 7200,
        proposals: false,
      })
    ).trials.map(({ kind }) => kind);
  await budget(1);
  expect(await kindsAt('a')).toEqual([]);
  await budget(3);
  expect(await kindsAt('b')).toEqual(['evaluation', 'evaluation', 'evaluation']);
});
