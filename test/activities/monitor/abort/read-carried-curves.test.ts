import { eq, like } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { createAbortLearner } from '../../../../activities/monitor/abort/abort-learner.ts';
import { collectCarriedCurves } from '../../../../activities/research/collect-carried-curves.ts';
import { countJudgedRuns, readAbortTally } from '../../../../db/reads/status/count-judged-runs.ts';
import { insertCarried } from '../../../../db/run/carried-curves.ts';
import { alerts, points } from '../../../../db/schema.ts';
import type { Store } from '../../../../db/store.ts';
import type { CarriedCurve } from '../../../../domain/abort/carried/carried-curve.ts';
import { abortSettings } from '../../../../domain/abort/settings.ts';
import type { CurvePoint } from '../../../../domain/abort/types.ts';
import { insertResearch, TASK } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { fallingTo } from '../../../domain/abort/support.ts';
import { abortRecord, insertEnded, abortWish } from '../../../support/database/insert-ended.ts';

const bench = useDatabase();
const tallied = async (id: string) =>
  readAbortTally(bench.db, { researchId: id, versions: new Map() }, await countJudgedRuns(bench.db, id));
/** A hundred points over the second that a run may take. */
const curveTo = (final: number, { seed, unit = 1 }: { seed: number; unit?: number }): CurvePoint[] =>
  fallingTo(final, { noise: 0.01, seed }).map((point) => ({
    ...point,
    elapsed: point.step / 100,
    value: unit * point.value,
  }));
const endAt = (n: number): number => 2 + ((n * 7) % 20) / 20;

/** The curves that a new research of the task begins with. */
const begun = async (): Promise<CarriedCurve[]> =>
  (await collectCarriedCurves(bench, { task: TASK, metricKey: 'm' }))?.curves ?? [];

async function insertSecond(id: string, unit = 1): Promise<void> {
  await insertResearch(bench.db, id);
  const carried = { curves: await begun(), researches: 1 };
  await insertCarried(bench.db, { researchId: id, taskHash: 'task-1', ...carried });
  for (const n of [1, 2, 3])
    await insertEnded(bench.db, [id, n], { kind: 'baseline', value: 2.4, curve: curveTo(2.4, { seed: 50 + n, unit }) });
}

/** Number of finished runs that the rule of a new worker knows, as its reason says; null: enough to stop a run. */
async function knownTo(store: Store, researchId: string): Promise<number | null> {
  const settings = abortSettings(TASK, null);
  if (!settings) throw new Error('expected a task whose runs may be stopped');
  const learner = createAbortLearner({ store, researchId, taskHash: 'task-1', settings });
  await learner.refresh();
  const run = { points: curveTo(9, { seed: 1 }).slice(0, 50), budget: settings.budget, incumbent: 2 };
  const { abort, reason } = learner.decide(run);
  return abort ? null : Number(/^\d+/.exec(reason)?.[0]);
}

beforeAll(async () => {
  await insertResearch(bench.db, 'first');
  for (let n = 1; n <= 20; n += 1)
    await insertEnded(bench.db, ['first', n], { value: endAt(n), curve: curveTo(endAt(n), { seed: n }) });
  const audited = abortRecord({ abort: true, audited: true, auditProbability: 0.1 });
  await insertEnded(bench.db, ['first', 21], { value: 3, curve: curveTo(3, { seed: 21 }), abort: audited });
  const stopped = { status: 'aborted', value: null, abort: abortWish(false) } as const;
  await insertEnded(bench.db, ['first', 22], { ...stopped, curve: curveTo(3, { seed: 22 }).slice(0, 50) });
  await insertEnded(bench.db, ['first', 23], { kind: 'baseline', value: 2.4, curve: curveTo(2.4, { seed: 23 }) });
});

test('a research begins with the finished runs of earlier ones, audited ones too, and no stopped ones', async () => {
  const curves = await begun();
  expect(curves.map(({ trialId }) => trialId)).toEqual(Array.from({ length: 21 }, (_, i) => `first/${i + 1}`));
  expect(curves.map(({ weight }) => weight)).toEqual([...Array.from({ length: 20 }, () => 1), 10]);
  expect(await collectCarriedCurves(bench, { task: TASK, metricKey: 'another evaluator' })).toBeNull();
  const own = { ...TASK, abort: { ...TASK.abort, carry: false } };
  expect(await collectCarriedCurves(bench, { task: own, metricKey: 'm' })).toBeNull();
});

test.each([
  ['budget', { ...TASK, run: { ...TASK.run, budget: { ...TASK.run.budget, seconds: 2 } } }],
  ['progress rule', { ...TASK, progress: { ...TASK.progress, pattern: 'y' } as typeof TASK.progress }],
  ['pool', { ...TASK, run: { ...TASK.run, resources: { ...TASK.run.resources, pool: 'gpus' } } }],
])('nothing is carried to a task with another %s', async (_, task) => {
  expect(await collectCarriedCurves(bench, { task, metricKey: 'm' })).toBeNull();
});

test('every worker compares with carried curves once three baseline runs have tested them', async () => {
  await insertResearch(bench.db, 'early');
  await insertCarried(bench.db, { researchId: 'early', taskHash: 'task-1', curves: await begun(), researches: 1 });
  expect(await knownTo(bench.store, 'early')).toBe(0);
  await insertSecond('second');
  expect(await tallied('second')).toMatchObject({ carried: { curves: 21, tested: false } });
  expect(await knownTo(bench.store, 'second')).toBeNull();
  expect(await tallied('second')).toMatchObject({
    audit: { audited: 0 },
    carried: { curves: 21, researches: 1, tested: true, dropped: null },
  });
  const kept = await bench.db.delete(points).where(like(points.jobId, 'first/%')).returning();
  expect(await knownTo(bench.another(), 'second')).toBeNull();
  await bench.db.insert(points).values(kept);
});

test('carried curves are dropped, with one alert, if the baseline runs print another unit', async () => {
  await insertSecond('other-unit', 64);
  for (const store of [bench.store, bench.another()]) expect(await knownTo(store, 'other-unit')).toBe(0);
  const stored = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'other-unit'));
  expect(stored).toHaveLength(1);
  expect(stored[0]?.message).toContain('curves of earlier researches are dropped: most of 3 baseline runs deviate');
  expect((await tallied('other-unit'))?.carried?.dropped).toContain('most of 3 baseline runs');
});

test('the first result of the test stands', async () => {
  await insertSecond('settled');
  expect(await bench.store.run.recordCarriedTest({ researchId: 'settled', dropped: null })).toBeNull();
  expect(await bench.store.run.recordCarriedTest({ researchId: 'settled', dropped: 'too late' })).toBeNull();
});
