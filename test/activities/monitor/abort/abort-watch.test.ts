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

interface WatchOptions {
  /** The rule wants to stop the run. */
  abort?: boolean | ((nth: number) => boolean);
  audit?: AbortSettings['audit'];
  config?: Partial<AbortConfig>;
  budget?: RunBudget;
  run?: Partial<Run>;
  read?: () => Promise<AbortReading>;
  save?: (record: AbortRecord) => Promise<AbortRecord | undefined>;
}

/** Opens a watch of a run; returns it with the inputs of its rule and the records that it stored. */
function open(options: WatchOptions = {}) {
  const { abort = false, audit = { first: 0, share: 0 }, budget = { kind: 'steps', total: 100 } } = options;
  const inputs: AbortInput[] = [];
  const stored: AbortRecord[] = [];
  const learner: AbortLearner = {
    refresh: options.read ?? (() => Promise.resolve(READING)),
    decide: (input) => {
      inputs.push({ ...input, points: [...input.points] });
      const share = (input.points.at(-1)?.step ?? 0) / 100;
      const wants = typeof abort === 'function' ? abort(inputs.length) : abort;
      return { abort: wants, share, forecast: 2, interval: { low: 1.5, high: 2.5 }, reason: 'it is behind' };
    },
  };
  const saveAbort = ({ record }: { record: AbortRecord }): Promise<AbortRecord | undefined> => {
    stored.push(record);
    return options.save ? options.save(record) : Promise.resolve(record);
  };
  const watch = createAbortWatch({
    store: {
      run: { saveAbort },
    } as unknown as Store,
    trial: { id: 'a/1', seed: 1 } as Trial,
    run: { jobId: 'a/1', placement: 0, follower: 1, abort: null, launchedAt: new Date(), ...options.run } as Run,
    settings: {
      rule: 'matched-time',
      choice: 'matched-time',
      config: { ...DEFAULT_ABORT, direction: 'minimize', ...options.config },
      audit,
      budget,
      carries: false,
    },
    learner,
  });
  return { watch, inputs, stored };
}

const pointsUntil = (steps: number): CurvePoint[] =>
  Array.from({ length: steps }, (_, i) => ({ step: i + 1, elapsed: i + 1, value: 2 }));

/** A promise that the test settles. */
function deferred<T>() {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}

describe('the rule', () => {
  test.each([
    [{}, Array.from({ length: 18 }, (_, i) => 10 + 5 * i)],
    [{ burnIn: 0.3, cadence: 0.2 }, [30, 50, 70, 90]],
  ])('decides after burn-in, once a cadence, and not after the end (%j)', async (config, looks) => {
    const { watch, inputs } = open({ config });
    for (let steps = 1; steps <= 100; steps += 1) expect(await watch.look(pointsUntil(steps))).toBeNull();
    expect(inputs.map(({ points }) => points.length)).toEqual(looks);
  });

  test('does not decide while it would read points without a time, and decides again later', async () => {
    const { watch, inputs } = open({ budget: { kind: 'seconds', total: 100 } });
    const points = pointsUntil(60).map((point) =>
      point.step > 10 && point.step <= 40 ? { ...point, elapsed: NaN } : point,
    );
    for (let steps = 11; steps <= 60; steps += 1) await watch.look(points.slice(0, steps));
    expect(inputs.map(({ points: seen }) => seen.length)).toEqual([54, 55, 60]);
  });

  test('judges the points that the run has when the learner has refreshed', async () => {
    const reading = deferred<AbortReading>();
    const { watch, inputs } = open({ read: () => reading.promise });
    const points = pointsUntil(20);
    const looking = watch.look(points);
    points.push(...pointsUntil(40).slice(20));
    reading.settle(READING);
    await looking;
    expect(inputs.map(({ points: seen }) => seen.length)).toEqual([40]);
  });
});

describe('a decision to stop a run', () => {
  test('is stored before it is returned', async () => {
    const { watch, stored } = open({ abort: true });
    expect(await watch.look(pointsUntil(50))).toEqual({
      label: 'cannot-win',
      message: 'stopped at 50 %, forecast 2 ± 0.5 against 1: it is behind',
    });
    expect(stored).toMatchObject([{ abort: true, audited: false, share: 0.5, incumbent: 1 }]);
  });

  test('has a time, even if the last point has none', async () => {
    const { watch, stored } = open({ abort: true, run: { launchedAt: new Date(Date.now() - 30_000) } });
    await watch.look(pointsUntil(50).map((point) => ({ ...point, elapsed: NaN })));
    expect(stored[0]?.elapsed).toBeGreaterThanOrEqual(30);
  });

  test('does not stop the run if the audit chose it', async () => {
    const { watch, stored, inputs } = open({ abort: true, audit: { first: 30, share: 0 } });
    expect(await watch.look(pointsUntil(50))).toBeNull();
    expect(await watch.look(pointsUntil(60))).toBeNull();
    expect(await watch.close()).toBeNull();
    expect(stored).toMatchObject([{ abort: true, audited: true, auditProbability: 1 }]);
    expect(inputs).toHaveLength(1);
  });

  test.each([false, true])(
    'is audited against the value to beat at the first look that had one, even if it changes (audited: %s)',
    async (abort) => {
      const incumbents = [null, 1.02, 0.98, 0.97];
      const read = () => Promise.resolve({ ...READING, incumbent: incumbents.shift() ?? null });
      // The rule wants to stop it at the third look, if at all.
      const { watch, stored, inputs } = open({
        audit: { first: 30, share: 1 },
        read,
        abort: (nth) => abort && nth === 3,
      });
      for (const at of [20, 30, 40, 50]) await watch.look(pointsUntil(at));
      await watch.close();
      expect(inputs.map(({ incumbent }) => incumbent)).toEqual([null, 1.02, 0.98, ...(abort ? [] : [0.97])]);
      expect(stored).toMatchObject([{ abort, incumbent: abort ? 0.98 : 0.97, judgedBy: 1.02 }]);
    },
  );

  test.each([
    [1, [0, 0.2, 0.3]],
    [2, [0.2, 0.2, 0.3]],
  ])(
    'gets the share of the last look; after a takeover, that of the last point (monitor %d of the run)',
    async (follower, shares) => {
      const { watch, inputs } = open({ run: { follower } });
      for (const at of [20, 30, 40]) await watch.look(pointsUntil(at));
      expect(inputs.map(({ lastLookShare }) => lastLookShare)).toEqual(shares);
    },
  );

  test('is not made once the audit has switched the rule off, and no record of the run is stored', async () => {
    const { watch, stored, inputs } = open({
      abort: true,
      read: () => Promise.resolve({ ...READING, strictness: null }),
    });
    expect(await watch.look(pointsUntil(50))).toBeNull();
    expect(await watch.close()).toBeNull();
    expect([stored, inputs]).toEqual([[], []]);
    // The same holds after an earlier look.
    const strictnesses = [1, null];
    const switchedOff = open({ read: () => Promise.resolve({ ...READING, strictness: strictnesses.shift() ?? null }) });
    for (const at of [50, 60]) await switchedOff.watch.look(pointsUntil(at));
    await switchedOff.watch.close();
    expect([switchedOff.inputs.length, switchedOff.stored.length]).toEqual([1, 0]);
  });

  test('that was stored earlier holds, and the rule does not decide again', async () => {
    const first = open({ abort: true });
    await first.watch.look(pointsUntil(50));
    for (const audited of [false, true]) {
      const { watch, inputs, stored } = open({ run: { abort: { ...first.stored[0]!, audited } } });
      expect(await watch.look(pointsUntil(80))).toEqual(
        audited ? null : expect.objectContaining({ label: 'cannot-win' }),
      );
      await watch.close();
      expect([inputs, stored]).toEqual([[], []]);
    }
  });

  test('fails if a newer monitor has taken over the run', async () => {
    const { watch } = open({ abort: true, save: () => Promise.resolve(undefined) });
    await expect(watch.look(pointsUntil(50))).rejects.toThrow('a newer monitor took over');
  });
});

describe('the end of a run', () => {
  test('stores the last look at a run that the rule did not stop', async () => {
    const { watch, stored } = open();
    await watch.look(pointsUntil(50));
    expect(stored).toEqual([]);
    expect(await watch.close()).toBeNull();
    expect(stored).toMatchObject([{ abort: false, share: 0.5 }]);
  });

  test('waits for a decision that is being stored', async () => {
    const saving = deferred<AbortRecord>();
    const { watch, stored } = open({ abort: true, save: () => saving.promise });
    const looking = watch.look(pointsUntil(50));
    await expect.poll(() => stored.length).toBe(1);
    const closing = watch.close();
    saving.settle(stored[0]!);
    expect(await closing).toMatchObject({ label: 'cannot-win' });
    expect(await looking).toMatchObject({ label: 'cannot-win' });
    expect(stored).toHaveLength(1);
  });

  test.each(['close', 'abandon'] as const)('does not wait for a learner that still refreshes (%s)', async (verb) => {
    const reading = deferred<AbortReading>();
    const { watch, inputs, stored } = open({ abort: true, read: () => reading.promise });
    const looking = watch.look(pointsUntil(50));
    await watch[verb]();
    reading.settle(READING);
    expect(await looking).toBeNull();
    expect([inputs, stored]).toEqual([[], []]);
  });
});
