import { eq, sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { settle } from '../../../activities/outcome/settle.ts';
import { points, runs } from '../../../db/schema.ts';
import { KEPT_ALL } from '../../../domain/abort/thinning.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { abortRecord, insertEnded, abortWish } from '../../support/database/insert-ended.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';

const bench = useDatabase();
const runsOf = (researchId: string) => ({ researchId, taskHash: 'task-1', rule: 'matched-time' });

/** Begins a run that a monitor follows. */
async function followed(id: string) {
  const trialId = await insertReadyTrial(bench.db, id);
  const slotId = (await bench.store.slot.offerSlot({ pool: id, host: id, holder: 'w' })) ?? '';
  const lease = await bench.store.slot.leaseSlot({ jobId: trialId, slotId, holder: 'w' });
  if (!lease) throw new Error(`expected a free slot in ${id}`);
  const key = { jobId: trialId, placement: 0 };
  await bench.store.run.beginRun({ ...key, lease });
  return { ...key, follower: (await bench.store.run.becomeFollower(key))?.follower ?? -1 };
}

describe('the record of a rule on a run', () => {
  test('is replaced by a later one, but a wish to stop the run stands', async () => {
    const by = await followed('stands');
    const [early, late, wished] = [abortRecord({ share: 0.1 }), abortRecord({ share: 0.2 }), abortWish(false)];
    expect(await bench.store.run.saveAbort({ ...by, record: early })).toEqual(early);
    expect(await bench.store.run.saveAbort({ ...by, record: late })).toEqual(late);
    expect(await bench.store.run.saveAbort({ ...by, record: wished })).toEqual(wished);
    for (const record of [late, abortWish(true)])
      expect(await bench.store.run.saveAbort({ ...by, record })).toEqual(wished);
  });

  test('is not accepted from a monitor that another one has replaced', async () => {
    const by = await followed('relieved');
    await bench.another().run.becomeFollower(by);
    expect(await bench.store.run.saveAbort({ ...by, record: abortWish(false) })).toBeUndefined();
    const stored = await bench.db.select({ abort: runs.abort }).from(runs).where(eq(runs.jobId, by.jobId));
    expect(stored).toEqual([{ abort: null }]);
  });
});

describe('runs that have ended', () => {
  test('come in the order of their ends, each once, with the record of the rule', async () => {
    await insertResearch(bench.db, 'order');
    // The ends differ by a microsecond, which a Date cannot represent.
    for (const n of [3, 2, 1]) await insertEnded(bench.db, ['order', n]);
    await bench.db.execute(`update trials set ended_at = '2026-11-01T00:00:09.000001Z' where id = 'order/3'`);
    await bench.db.execute(`update trials set ended_at = '2026-11-01T00:00:09.000002Z' where id = 'order/2'`);
    const ended = await bench.store.run.findEndedCurves({ ...runsOf('order'), after: null });
    expect(ended.map(({ n }) => n)).toEqual([1, 3, 2]);
    expect(ended[0]).toMatchObject({ jobId: 'order/1', placement: 0, value: 2, incumbent: null, wanted: null });
    for (const [i, after] of ended.entries())
      expect(await bench.store.run.findEndedCurves({ ...runsOf('order'), after })).toEqual(ended.slice(i + 1));
    await insertEnded(bench.db, ['order', 4], { status: 'aborted', value: null, abort: abortWish(false) });
    await insertEnded(bench.db, ['order', 5], { abort: abortWish(true), endedAt: new Date(Date.UTC(2026, 10, 2)) });
    await bench.db.execute(`update trials set ended_at = '2026-11-01T00:00:10Z' where id = 'order/4'`);
    expect(await bench.store.run.findEndedCurves({ ...runsOf('order'), after: ended.at(-1) ?? null })).toMatchObject([
      { n: 4, value: null, incumbent: 1, auditProbability: 0, wanted: 0.5 },
      { n: 5, value: 2, incumbent: 1, auditProbability: 1, wanted: 0.5 },
    ]);
  });

  test('are left out if they are no evidence for the next proposal', async () => {
    await insertResearch(bench.db, 'silent');
    await insertEnded(bench.db, ['silent', 1], { kind: 'injected' });
    await insertEnded(bench.db, ['silent', 2], { kind: 'confirm' });
    await insertEnded(bench.db, ['silent', 7], { kind: 'baseline' });
    await insertEnded(bench.db, ['silent', 3], { kind: 'remeasure' });
    await insertEnded(bench.db, ['silent', 4], { status: 'crashed', value: null });
    // A person stopped this run.
    await insertEnded(bench.db, ['silent', 5], { status: 'aborted', value: null, abort: abortRecord() });
    await insertEnded(bench.db, ['silent', 6], { status: null, value: null, endedAt: null });
    await insertEnded(bench.db, ['silent', 8], { status: 'aborted', value: null, abort: abortWish(true) });
    await insertEnded(bench.db, ['silent', 9], { status: 'lost', value: null, abort: abortWish(true) });
    const ended = await bench.store.run.findEndedCurves({ ...runsOf('silent'), after: null });
    expect(ended.map(({ n }) => n)).toEqual([1]);
    // A would-be stop that went on and failed by itself ended badly.
    await insertEnded(bench.db, ['silent', 10], { status: 'diverged', value: null, abort: abortWish(true) });
    expect(await bench.store.run.findEndedCurves({ ...runsOf('silent'), after: ended.at(-1) ?? null })).toMatchObject([
      { n: 10, value: null, failed: true, audited: true, auditProbability: 1 },
    ]);
    // A run that failed just before its stop was not audited.
    await insertEnded(bench.db, ['silent', 11], { status: 'diverged', value: null, abort: abortWish(false) });
    const { n = 0, endedAt = '' } =
      (await bench.store.run.findEndedCurves({ ...runsOf('silent'), after: null })).at(-2) ?? {};
    expect(await bench.store.run.findEndedCurves({ ...runsOf('silent'), after: { n, endedAt } })).toMatchObject([
      { n: 11, failed: true, audited: false },
    ]);
    expect(
      await bench.store.run.findEndedCurves({ ...runsOf('silent'), taskHash: 'another version', after: null }),
    ).toEqual([]);
  });

  test('are dated while their research is locked, so that none appears with a date before a read one', async () => {
    await insertResearch(bench.db, 'dated', { lastN: 1 });
    await insertEnded(bench.db, ['dated', 1], { status: null, value: null, endedAt: null });
    const outcome = { status: 'completed' as const, failure: null, value: 2, metrics: {}, evaluatorNotes: null };
    const { settled, seen } = await bench.db.transaction(async (tx) => {
      await tx.execute(sql`select 1 from researches where id = 'dated' for update`);
      const input = { ...outcome, trialId: 'dated/1', researchId: 'dated', trusted: true };
      const settling = settle(bench.another(), input);
      await vi.waitFor(async () => {
        const waits = sql`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        expect((await bench.db.execute(waits)).rows).toHaveLength(1);
      }, 30_000);
      // Another trial ends now, and is read.
      const [row] = (await tx.execute<{ now: string }>(sql`select clock_timestamp()::text as now`)).rows;
      return { settled: settling.then(() => undefined), seen: { n: 2, endedAt: row?.now ?? '' } };
    });
    await settled;
    expect(await bench.store.run.findEndedCurves({ ...runsOf('dated'), after: seen })).toMatchObject([{ n: 1 }]);
  });
});

test('wishes are counted by trial, not by placement, up to the limit', async () => {
  await insertResearch(bench.db, 'wishes');
  await insertEnded(bench.db, ['wishes', 1], { abort: abortWish(true), placement: 1 });
  await bench.db
    .insert(runs)
    .values({ jobId: 'wishes/1', placement: 0, host: 'h', slotId: 's', fence: 1, abort: abortWish(true) });
  await insertEnded(bench.db, ['wishes', 2], { abort: abortRecord() });
  await insertEnded(bench.db, ['wishes', 3], { status: 'aborted', value: null, abort: abortWish(false) });
  const count = (most: number) => bench.store.run.countAbortDecisions({ ...runsOf('wishes'), most });
  expect([await count(30), await count(1)]).toEqual([2, 1]);
  const ofAnotherVersion = { ...runsOf('wishes'), taskHash: 'another version', most: 30 };
  expect(await bench.store.run.countAbortDecisions(ofAnotherVersion)).toBe(0);
});

test('the judgements of a rule are evidence only for that rule with the same settings', async () => {
  await insertResearch(bench.db, 'settings');
  const asha = 'asha {"eta":4}';
  await insertEnded(bench.db, ['settings', 1], { abort: { ...abortWish(true), rule: 'asha', by: asha } });
  // A record of Perpetua 0.1, without `by`.
  await insertEnded(bench.db, ['settings', 2], { abort: { ...abortWish(true), rule: 'asha' } });
  await insertEnded(bench.db, ['settings', 3], { abort: { ...abortWish(true), rule: 'median', by: 'median' } });
  const judged = async (rule: string) => {
    const ended = await bench.store.run.findEndedCurves({ ...runsOf('settings'), rule, after: null });
    expect(ended).toHaveLength(3);
    const wishes = await bench.store.run.countAbortDecisions({ ...runsOf('settings'), rule, most: 30 });
    return [ended.flatMap(({ n, incumbent }) => (incumbent === null ? [] : [n])), wishes];
  };
  expect(await judged(asha)).toEqual([[1], 1]);
  expect(await judged('asha')).toEqual([[2], 1]);
  expect(await judged('median')).toEqual([[3], 1]);
  expect(await judged('asha {"eta":2}')).toEqual([[], 0]);
});

describe('a curve', () => {
  const straight = (points: number) =>
    Array.from({ length: points }, (_, seq) => ({ step: seq, elapsed: seq / 10, value: 9 - seq, share: null }));

  test('is read in order, and a long one is thinned, with its last point', async () => {
    await insertResearch(bench.db, 'thin');
    await insertEnded(bench.db, ['thin', 1], { curve: straight(11) });
    const key = { jobId: 'thin/1', placement: 0 };
    expect(await bench.store.run.loadCurve({ ...key, most: 11 })).toEqual(straight(11));
    expect(await bench.store.run.loadCurve({ ...key, placement: 1, most: 4 })).toEqual([]);
    await insertEnded(bench.db, ['thin', 2], { curve: straight(4000) });
    const thinned = await bench.store.run.loadCurve({ ...key, jobId: 'thin/2', most: 100 });
    expect(thinned.length).toBeGreaterThan(1000);
    expect(thinned.length).toBeLessThan(1120);
    expect(thinned.at(0)).toEqual(straight(1)[0]);
    expect(thinned.at(-1)).toEqual(straight(4000).at(-1));
    expect(thinned).toEqual(thinned.toSorted((one, other) => one.step - other.step));
  });

  test('keeps the points behind a flood of lines and the beginning of a gap, however much it is thinned', async () => {
    await insertResearch(bench.db, 'flood');
    const flood = Array.from({ length: 4000 }, (_, i) => ({ step: 0, elapsed: i / 4000, value: 9, share: null }));
    const gap = [10, 11].map((step) => ({ step, elapsed: Number.NaN, value: 9, share: null }));
    const behind = Array.from({ length: 50 }, (_, i) => ({ step: 20 + i, elapsed: 20 + i, value: 8, share: null }));
    await insertEnded(bench.db, ['flood', 1], { curve: [...flood, ...gap, ...behind] });
    const key = { jobId: 'flood/1', placement: 0 };
    const later = [70, 71].map((step) => ({ step, elapsed: step, value: 9 - step, share: null }));
    await bench.db.insert(points).values(later.map((point, i) => ({ ...key, seq: KEPT_ALL + i, ...point })));
    const thinned = await bench.store.run.loadCurve({ ...key, most: 100 });
    expect(thinned.length).toBeLessThan(250);
    expect(thinned.filter(({ step }) => step >= 10).map(({ step }) => step)).toEqual([
      10,
      ...[11].filter(() => thinned.some(({ step }) => step === 11)),
      ...behind.map(({ step }) => step),
      70,
      71,
    ]);
  });

  test.each([
    [5e-324, 3],
    [1e-300, 1.7e308],
    [0, 5e-324],
    [-1, Infinity],
  ])('with a step or a share of %d and then of %d is read unchanged', async (first, second) => {
    const id = `odd${first}`;
    await insertResearch(bench.db, id);
    const curve = [first, second].map((value) => ({ step: value, elapsed: value, value: 1, share: value }));
    await insertEnded(bench.db, [id, 1], { curve });
    expect(await bench.store.run.loadCurve({ jobId: `${id}/1`, placement: 0, most: 1 })).toEqual(curve);
  });

  test('of each of several runs is the same as if read alone, even without points', async () => {
    await insertResearch(bench.db, 'many');
    const odd = [{ step: 1, elapsed: 1, value: Number.NaN, share: 0.5 }];
    for (const [i, curve] of [straight(7), [], odd].entries()) await insertEnded(bench.db, ['many', i + 1], { curve });
    const keys = [3, 2, 1].map((n) => ({ jobId: `many/${n}`, placement: 0 }));
    const alone = await Promise.all(keys.map((key) => bench.store.run.loadCurve({ ...key, most: 3 })));
    expect(await bench.store.run.loadCurves({ runs: keys, most: 3 })).toEqual(alone);
    expect(alone.map((curve) => curve.length)).toEqual([1, 0, 7]);
    expect(await bench.store.run.loadCurves({ runs: [], most: 3 })).toEqual([]);
  });
});
