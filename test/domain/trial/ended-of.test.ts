import { expect, test } from 'vitest';
import { endedOf, type StoredOutcome } from '../../../domain/trial/ended-of.ts';
import { adaptWindow, initialWindow, windowOf } from '../../../domain/window/window.ts';

const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);

/** Proposed in a second, run for ten. */
const quick = (n: number, more: Partial<StoredOutcome> = {}): StoredOutcome => ({
  ...{ n, kind: 'search', status: 'completed', verdict: 'discard', slotWaitSeconds: 0.1, seconds: 10 },
  ...{ createdAt: at(0), readyAt: at(1), startedAt: at(1.1), awaySeconds: 0 },
  ...more,
});

test('the time in which the endpoint was away is no measure of a trial: neither of its model nor of a slot that stood free', () => {
  const hour = { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 3600 };
  const there = { proposeSeconds: 2, slotWaitSeconds: null, slotSeconds: 10 };
  expect(endedOf(quick(1, { ...hour, awaySeconds: 3598 }), null)).toMatchObject(there);
  expect(endedOf(quick(1, hour), null)).toMatchObject({ proposeSeconds: 3600, slotWaitSeconds: 3600 });
});

test('a slot that fell free after the endpoint was back waited as long as it did', () => {
  const late = quick(1, { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 5, awaySeconds: 3590 });
  expect(endedOf(late, null)).toMatchObject({ slotWaitSeconds: 5 });
});

test('no time is below zero, whatever the clocks say', () => {
  expect(endedOf(quick(1, { awaySeconds: 9 }), null)).toMatchObject({ proposeSeconds: 0, slotWaitSeconds: null });
});

test('the window is the same after an hour in which the endpoint was away as without it', () => {
  const after = (trials: StoredOutcome[]): number =>
    windowOf(trials.reduce((state, one) => adaptWindow(state, endedOf(one, null)), initialWindow({ slots: 4 })));
  const row = Array.from({ length: 60 }, (_, index) => quick(index + 1));
  const hour = { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 3590 };
  const hit = (awaySeconds: number) =>
    row.map((one) => (one.n > 30 && one.n <= 36 ? { ...one, ...hour, awaySeconds } : one));
  expect(after(hit(3599))).toBe(after(row));
  expect(after(hit(0))).toBeGreaterThan(after(row));
});
