import { describe, expect, test } from 'vitest';
import type { AbortLearner, AbortReading } from '../../../../activities/monitor/abort/abort-learner.ts';
import { createAbortWatch } from '../../../../activities/monitor/abort/abort-watch.ts';
import type { Run } from '../../../../db/run/run.ts';
import type { Trial } from '../../../../db/trial/proposal.ts';
import type { Store } from '../../../../db/store.ts';
import type { AbortRecord } from '../../../../domain/abort/record.ts';
import type { AbortSettings } from '../../../../domain/abort/settings.ts';
import {
  DEFAULT_ABORT,
  type AbortConfig,
  type AbortInput,
  type CurvePoint,
  type RunBudget,
} from '../../../../domain/abort/types.ts';

const READING: AbortReading = { incumbent: 1, strictness: 1, stopsWanted: 0 };

interface How {
  /** The rule wants to stop the run. */
  abort?: boolean | ((nth: number) => boolean);
  audit?: AbortSettings['audit'];
  config?: Partial<AbortConfig>;
  budget?: RunBudget;
  run?: Partial<Run>;
  read?: () => Promise<AbortReading>;
  save?: (record: AbortRecord) => Promise<AbortRecord | undefined>;
}

/** A watch over a run, with the inputs of its rule and the records that it stored. */
function open(how: How = {}) {
  const { abort = false, audit = { first: 0, share: 0 }, budget = { kind: 'steps', total: 100 } } = how;
  const asked: AbortInput[] = [];
  const stored: AbortRecord[] = [];
  const learner: AbortLearner = {
    refresh: how.read ?? (() => Promise.resolve(READING)),
    decide: (input) => {
      asked.push({ ...input, points: [...input.points] });
      const share = (input.points.at(-1)?.step ?? 0) / 100;
      const wants = typeof abort === 'function' ? abort(asked.length) : abort;
      return { abort: wants, share, forecast: 2, interval: { low: 1.5, high: 2.5 }, reason: 'it is behind' };
    },
  };
  const saveAbort = ({ record }: { record: AbortRecord }): Promise<AbortRecord | undefined> => {
    stored.push(record);
    return how.save ? how.save(record) : Promise.resolve(record);
  };
  const watch = createAbortWatch({
    store: {
      run: { saveAbort },
    } as unknown as Store,
    trial: { id: 'a/1', seed: 1 } as Trial,
    run: { trialId: 'a/1', placement: 0, follower: 1, abort: null, launchedAt: new Date(), ...how.run } as Run,
    settings: {
      rule: 'matched-time',
      choice: 'matched-time',
      config: { ...DEFAULT_ABORT, direction: 'minimize', ...how.config },
      audit,
      budget,
      carries: false,
    },
    learner,
  });
  return { watch, asked, stored };
}

const until = (steps: number): CurvePoint[] =>
  Array.from({ length: steps }, (_, i) => ({ step: i + 1, elapsed: i + 1, value: 2 }));

/** A promise that the test settles. */
function later<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}

describe('the rule', () => {
  test.each([
    [{}, Array.from({ length: 18 }, (_, i) => 10 + 5 * i)],
    [{ burnIn: 0.3, cadence: 0.2 }, [30, 50, 70, 90]],
  ])('is asked after burn-in, once a cadence, and not after the end (%j)', async (config, looks) => {
    const { watch, asked } = open({ config });
    for (let steps = 1; steps <= 100; steps += 1) expect(await watch.look(until(steps))).toBeNull();
    expect(asked.map(({ points }) => points.length)).toEqual(looks);
  });

  test('is not asked while it would read late lines, and is asked again a while after them', async () => {
    const { watch, asked } = open({ budget: { kind: 'seconds', total: 100 } });
    const points = until(60).map((point) => (point.step > 10 && point.step <= 40 ? { ...point, elapsed: NaN } : point));
    for (let steps = 11; steps <= 60; steps += 1) await watch.look(points.slice(0, steps));
    expect(asked.map(({ points: seen }) => seen.length)).toEqual([54, 55, 60]);
  });

  test('judges the run as it is once the learner has learned', async () => {
    const reading = later<AbortReading>();
    const { watch, asked } = open({ read: () => reading.promise });
    const points = until(20);
    const looking = watch.look(points);
    points.push(...until(40).slice(20));
    reading.settle(READING);
    await looking;
    expect(asked.map(({ points: seen }) => seen.length)).toEqual([40]);
  });
});

describe('a decision to stop a run', () => {
  test('is stored before it is returned', async () => {
    const { watch, stored } = open({ abort: true });
    expect(await watch.look(until(50))).toEqual({
      label: 'cannot-win',
      message: 'stopped at 50 %, forecast 2 ± 0.5 against 1: it is behind',
    });
    expect(stored).toMatchObject([{ abort: true, audited: false, share: 0.5, incumbent: 1 }]);
  });

  test('has a time of its own, whether the last line has one or not', async () => {
    const { watch, stored } = open({ abort: true, run: { launchedAt: new Date(Date.now() - 30_000) } });
    await watch.look(until(50).map((point) => ({ ...point, elapsed: NaN })));
    expect(stored[0]?.elapsed).toBeGreaterThanOrEqual(30);
  });

  test('is not made if the audit asks for the run', async () => {
    const { watch, stored, asked } = open({ abort: true, audit: { first: 30, share: 0 } });
    expect(await watch.look(until(50))).toBeNull();
    expect(await watch.look(until(60))).toBeNull();
    expect(await watch.close()).toBeNull();
    expect(stored).toMatchObject([{ abort: true, audited: true, auditProbability: 1 }]);
    expect(asked).toHaveLength(1);
  });

  test.each([false, true])(
    'is judged by what was to be beaten at the first look, however that moves (audited: %s)',
    async (abort) => {
      const incumbents = [null, 1.02, 0.98, 0.97];
      const read = () => Promise.resolve({ ...READING, incumbent: incumbents.shift() ?? null });
      // The rule wants to stop it at the third look, if at all.
      const { watch, stored, asked } = open({
        audit: { first: 30, share: 1 },
        read,
        abort: (nth) => abort && nth === 3,
      });
      for (const at of [20, 30, 40, 50]) await watch.look(until(at));
      await watch.close();
      expect(asked.map(({ incumbent }) => incumbent)).toEqual([null, 1.02, 0.98, ...(abort ? [] : [0.97])]);
      expect(stored).toMatchObject([{ abort, incumbent: abort ? 0.98 : 0.97, judgedBy: 1.02 }]);
    },
  );

  test.each([
    [1, [0, 0.2, 0.3]],
    [2, [0.2, 0.2, 0.3]],
  ])(
    'says where the look before was, as far as a monitor knows (the run has its monitor %d)',
    async (follower, shares) => {
      const { watch, asked } = open({ run: { follower } });
      for (const at of [20, 30, 40]) await watch.look(until(at));
      expect(asked.map(({ before }) => before)).toEqual(shares);
    },
  );

  test('is not made once the rule is switched off, and the run is none that the rule let go on', async () => {
    const { watch, stored, asked } = open({
      abort: true,
      read: () => Promise.resolve({ ...READING, strictness: null }),
    });
    expect(await watch.look(until(50))).toBeNull();
    expect(await watch.close()).toBeNull();
    expect([stored, asked]).toEqual([[], []]);
    // The same holds after an earlier look.
    const strictnesses = [1, null];
    const before = open({ read: () => Promise.resolve({ ...READING, strictness: strictnesses.shift() ?? null }) });
    for (const at of [50, 60]) await before.watch.look(until(at));
    await before.watch.close();
    expect([before.asked.length, before.stored.length]).toEqual([1, 0]);
  });

  test('that was stored before stands, and the rule is not asked again', async () => {
    const first = open({ abort: true });
    await first.watch.look(until(50));
    for (const audited of [false, true]) {
      const { watch, asked, stored } = open({ run: { abort: { ...first.stored[0]!, audited } } });
      expect(await watch.look(until(80))).toEqual(audited ? null : expect.objectContaining({ label: 'cannot-win' }));
      await watch.close();
      expect([asked, stored]).toEqual([[], []]);
    }
  });

  test('by a monitor that was relieved fails', async () => {
    const { watch } = open({ abort: true, save: () => Promise.resolve(undefined) });
    await expect(watch.look(until(50))).rejects.toThrow('a newer monitor took over');
  });
});

describe('the end of a run', () => {
  test('stores the last look at a run that went on', async () => {
    const { watch, stored } = open();
    await watch.look(until(50));
    expect(stored).toEqual([]);
    expect(await watch.close()).toBeNull();
    expect(stored).toMatchObject([{ abort: false, share: 0.5 }]);
  });

  test('waits for a decision that is being stored', async () => {
    const saving = later<AbortRecord>();
    const { watch, stored } = open({ abort: true, save: () => saving.promise });
    const looking = watch.look(until(50));
    await expect.poll(() => stored.length).toBe(1);
    const closing = watch.close();
    saving.settle(stored[0]!);
    expect(await closing).toMatchObject({ label: 'cannot-win' });
    expect(await looking).toMatchObject({ label: 'cannot-win' });
    expect(stored).toHaveLength(1);
  });

  test.each(['close', 'leave'] as const)('does not wait for a learner that still learns (%s)', async (verb) => {
    const reading = later<AbortReading>();
    const { watch, asked, stored } = open({ abort: true, read: () => reading.promise });
    const looking = watch.look(until(50));
    await watch[verb]();
    reading.settle(READING);
    expect(await looking).toBeNull();
    expect([asked, stored]).toEqual([[], []]);
  });
});
