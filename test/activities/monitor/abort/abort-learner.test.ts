import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAbortLearner, type AbortLearner } from '../../../../activities/monitor/abort/abort-learner.ts';
import type { Store } from '../../../../db/store.ts';
import { abortSettings, type AbortSettings } from '../../../../domain/abort/settings.ts';
import { BASELINE, insertResearch, TASK, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { fallingTo, STEPS } from '../../../domain/abort/support.ts';
import { abortRecord, insertEnded, abortWish } from '../../../support/database/insert-ended.ts';

const bench = useDatabase();
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Lets a second pass, after which a learner reads again. */
const later = (): void => void vi.advanceTimersByTime(1000);

function settingsOf(rule: AbortSettings['choice']): AbortSettings {
  const task = { ...TASK, search: { ...TASK.search, abort: rule }, progress: { ...TASK.progress, steps: STEPS } };
  const settings = abortSettings(task as typeof TASK, null);
  if (!settings) throw new Error('expected a task whose runs may be stopped');
  return settings;
}

const open = (
  researchId: string,
  { rule = 'matched-time', ...more }: { rule?: AbortSettings['choice']; store?: Store; curves?: number } = {},
): AbortLearner =>
  createAbortLearner({ store: bench.store, researchId, taskHash: 'task-1', settings: settingsOf(rule), ...more });

const ask = (learner: AbortLearner, until: number, run?: string) =>
  learner.decide({
    points: fallingTo(5, { until }),
    budget: { kind: 'steps', total: STEPS },
    incumbent: 1,
    ...(run && { run }),
  });
/** Number of completed runs that the rule knows, as its reason says. */
const known = (learner: AbortLearner): number => Number(/^\d+/.exec(ask(learner, 50).reason)?.[0]);

const end = (id: string, n: number, more: Parameters<typeof insertEnded>[2] = {}) =>
  insertEnded(bench.db, [id, n], { value: 2 + n / 10, curve: fallingTo(2 + n / 10), ...more });

/** A research whose lead was followed after one run of -1.338, and is believed to be at -1.402. */
async function insertLed(id: string): Promise<void> {
  const gate = await insertResearch(bench.db, id);
  const none = { candidateId: '', parentId: BASELINE, ofTrial: 4, values: [], failures: 0 };
  const empty = gate.subjects[0]?.fresh;
  if (!empty) throw new Error('expected the baseline in a new gate');
  const screen = { ...empty, n: 1, mean: -1.338, min: -1.338, max: -1.338 };
  const lead = { ...none, candidateId: WINNER, screen, fresh: empty, belief: { mean: -1.402, variance: 0.0009 } };
  const followed = { ...gate, leadId: WINNER, subjects: [...gate.subjects, lead] };
  await bench.store.research.updateResearch(id, { gate: followed });
}

describe('a learner of early abort', () => {
  test('learns each run once, whoever reads and however often', async () => {
    await insertResearch(bench.db, 'once');
    for (const n of [1, 2, 3]) await end('once', n);
    const learner = open('once');
    await Promise.all([learner.refresh(), learner.refresh()]);
    expect(known(learner)).toBe(3);
    await end('once', 4);
    await end('once', 5, { status: 'aborted', value: null, abort: abortWish(false) });
    later();
    await Promise.all([learner.refresh(), learner.refresh()]);
    later();
    await learner.refresh();
    expect(known(learner)).toBe(4);
  });

  test("uses the rule's own settings", async () => {
    await insertResearch(bench.db, 'own');
    for (const n of [1, 2]) await end('own', n);
    // By halves, one of the three at the rung goes on. By thirds, the rung is at a ninth of the budget.
    const [halves, thirds] = [open('own', { rule: { name: 'asha', eta: 2 } }), open('own', { rule: 'asha' })];
    for (const learner of [halves, thirds]) await learner.refresh();
    expect(ask(halves, 26, 'late')).toMatchObject({ abort: true, reason: expect.stringContaining('best 1 of 3') });
    expect(ask(thirds, 26, 'late')).toMatchObject({ abort: false, reason: 'no rung at 26 %' });
  });

  test('whose read failed goes on where it stood', async () => {
    await insertResearch(bench.db, 'broken');
    for (const n of [1, 2, 3]) await end('broken', n);
    let down = true;
    const { run, research } = bench.store;
    const failing =
      <T, R>(query: (input: T) => Promise<R>) =>
      (input: T): Promise<R> => {
        if (!down) return query(input);
        down = false;
        return Promise.reject(new Error('no connection'));
      };
    for (const broken of [
      { run: { ...run, findEndedCurves: failing(run.findEndedCurves) } },
      { run: { ...run, loadCurves: failing(run.loadCurves) } },
      { research: { ...research, findResearch: failing(research.findResearch) } },
    ]) {
      down = true;
      const learner = open('broken', { store: { ...bench.store, ...broken } });
      await expect(learner.refresh()).rejects.toThrow('no connection');
      await learner.refresh();
      expect(known(learner)).toBe(3);
    }
  });

  test('begins with the last curves, and forgets the first when it has twice as many', async () => {
    await insertResearch(bench.db, 'long');
    for (const n of [1, 2, 3, 4]) await end('long', n);
    const learner = open('long', { curves: 3 });
    await learner.refresh();
    expect(known(learner)).toBe(3);
    for (const [n, expected] of [
      [5, 4],
      [6, 5],
      [7, 3],
      [8, 4],
    ] as const) {
      await end('long', n);
      later();
      await learner.refresh();
      expect(known(learner)).toBe(expected);
    }
  });

  test('has the evidence of the audit from all runs, even those whose curves it has forgotten', async () => {
    await insertResearch(bench.db, 'evidence');
    await end('evidence', 1, { value: 0.5, abort: abortWish(true) });
    for (const n of [2, 3, 4]) await end('evidence', n, { abort: abortRecord() });
    const learner = open('evidence', { curves: 2 });
    expect(await learner.refresh()).toMatchObject({ strictness: 2, stopsWanted: 1 });
    for (const n of [5, 6]) await end('evidence', n, { abort: abortRecord() });
    later();
    expect(await learner.refresh()).toMatchObject({ strictness: 2 });
    expect(known(learner)).toBe(2);
  });

  test('tightens its rule, then switches it off, and alerts people once, also after a restart', async () => {
    await insertResearch(bench.db, 'wrong');
    for (const n of [1, 2, 3]) await end('wrong', n, { abort: abortRecord() });
    const learner = open('wrong');
    expect(await learner.refresh()).toMatchObject({ strictness: 1, stopsWanted: 0 });
    await end('wrong', 4, { value: 0.5, abort: abortWish(true) });
    later();
    expect(await learner.refresh()).toMatchObject({ strictness: 2, stopsWanted: 1 });
    for (const n of [5, 6]) await end('wrong', n, { value: 0.5, abort: abortWish(true) });
    later();
    expect(await learner.refresh()).toMatchObject({ strictness: null, stopsWanted: 3 });
    expect(await open('wrong').refresh()).toMatchObject({ strictness: null });
    const alerts = await bench.db.query.alerts.findMany({
      where: (row, { eq }) => eq(row.researchId, 'wrong'),
      orderBy: (row) => row.id,
    });
    expect(alerts.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^early abort now requires twice the evidence: it would have stopped 100 % .*; estimated from 1 wrong stop,/,
      ),
      expect.stringMatching(/^early abort is off: it would have stopped 100 % .*; estimated from 2 wrong stops,/),
    ]);
  });

  test('weighs a rare audit by its probability, and counts stopped runs as would-be stops', async () => {
    const rare = { ...abortWish(true), auditProbability: 0.05 };
    for (const [id, abort] of [
      ['rare', rare],
      ['common', abortWish(true)],
    ] as const) {
      await insertResearch(bench.db, id);
      // Good runs. The rule let 12 of them go on.
      for (let n = 1; n <= 12; n += 1) await end(id, n, { value: 0.5, abort: abortRecord() });
      for (const n of [13, 14]) await end(id, n, { status: 'aborted', value: null, abort: abortWish(false) });
      await end(id, 15, { value: 0.5, abort });
    }
    expect(await open('rare').refresh()).toMatchObject({ strictness: null });
    expect(await open('common').refresh()).toMatchObject({ strictness: 1 });
  });

  test('counts would-be stops that fail as failures, and learns nothing of their curves', async () => {
    for (const id of ['failing', 'well']) {
      await insertResearch(bench.db, id);
      for (let n = 1; n <= 6; n += 1) await end(id, n, { value: 0.5, abort: abortRecord() });
    }
    for (let n = 7; n <= 46; n += 1)
      await end('failing', n, { status: 'diverged', value: null, abort: abortWish(true) });
    for (const [id, from] of [
      ['failing', 47],
      ['well', 7],
    ] as const)
      for (const n of [from, from + 1]) await end(id, n, { value: 0.5, abort: abortWish(true) });
    const [failing, well] = [await open('failing').refresh(), await open('well').refresh()];
    expect(well.strictness).toBeNull();
    expect(failing.strictness).not.toEqual(well.strictness);
  });

  test('of a rule that cannot be tightened switches it off instead', async () => {
    await insertResearch(bench.db, 'blunt');
    await end('blunt', 1, { value: 0.5, abort: { ...abortWish(true), rule: 'median' } });
    expect(await open('blunt', { rule: 'median' }).refresh()).toMatchObject({ strictness: null });
  });

  test('says once that the rule stops nothing, if curves that looked better ended worse', async () => {
    await insertResearch(bench.db, 'misled');
    for (let n = 1; n <= 12; n += 1) await end('misled', n, { value: 4 - n / 10 });
    const learner = open('misled');
    for (let i = 0; i < 3; i += 1, later()) {
      await learner.refresh();
      const reason = expect.stringContaining('better curves led to worse results') as string;
      expect(ask(learner, 50)).toMatchObject({ abort: false, reason });
    }
    const alerts = await bench.db.query.alerts.findMany({ where: (alert, { eq }) => eq(alert.researchId, 'misled') });
    expect(alerts.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^early abort stops nothing for now: among the finished runs, better curves led/),
    ]);
  });

  test('counts wishes no further than the audit asks', async () => {
    await insertResearch(bench.db, 'wishes');
    for (const n of [1, 2]) await end('wishes', n, { abort: abortWish(true) });
    let counted = 0;
    const countAbortDecisions: Store['run']['countAbortDecisions'] = (input) => {
      counted += 1;
      return bench.store.run.countAbortDecisions(input);
    };
    const settings = { ...settingsOf('matched-time'), audit: { first: 2, share: 0.05 } };
    const store = {
      ...bench.store,
      run: { ...bench.store.run, countAbortDecisions },
    };
    const learner = createAbortLearner({ store, researchId: 'wishes', taskHash: 'task-1', settings });
    for (let i = 0; i < 3; i += 1, later()) expect(await learner.refresh()).toMatchObject({ stopsWanted: 2 });
    expect(counted).toBe(1);
  });

  test('takes the estimate of the lead as the value to beat, not the lucky run that it was picked for', async () => {
    await insertLed('lucky');
    expect((await open('lucky').refresh()).incumbent).toBe(1.402);
  });

  test('of an older version of the task takes the lead only while the metric is the same', async () => {
    await insertLed('changed');
    const learner = open('changed');
    expect((await learner.refresh()).incumbent).toBe(1.402);
    for (const [taskHash, metricKey, incumbent] of [
      ['same-metric', 'm', 1.402],
      ['other-metric', 'other', null],
    ] as const) {
      const version = { ...(await bench.store.task.loadTaskVersion('task-1')), hash: taskHash, metricKey };
      await bench.store.task.saveTaskVersion({ ...version, workspace: [], evaluatorFiles: [] });
      await bench.store.research.updateResearch('changed', { taskHash });
      later();
      expect((await learner.refresh()).incumbent).toBe(incumbent);
    }
  });

  test('has nothing to beat before the first run', async () => {
    await insertResearch(bench.db, 'fresh');
    expect(await open('fresh').refresh()).toEqual({ incumbent: null, strictness: 1, stopsWanted: 0 });
  });

  test('of asha finds its rungs again after a restart, and counts a run that is followed again once', async () => {
    await insertResearch(bench.db, 'rungs');
    const [first, second] = [open('rungs', { rule: 'asha' }), open('rungs', { rule: 'asha' })];
    for (let i = 0; i < 2; i += 1) expect(ask(first, 12, 'rungs/1').reason).toContain('has 1 run;');
    await end('rungs', 1);
    await end('rungs', 2, { status: 'aborted', value: null, abort: { ...abortWish(false), share: 0.12 } });
    for (const learner of [first, second]) {
      await learner.refresh();
      expect(ask(learner, 12, 'rungs/3').reason).toContain('of 3 at this rung');
      expect(ask(learner, 34, 'rungs/3').reason).toContain('has 2 runs');
    }
  });
});
