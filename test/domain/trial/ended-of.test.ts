import { expect, test } from 'vitest';
import { endedOf, type StoredOutcome } from '../../../domain/trial/ended-of.ts';
import { adaptWindow, initialWindow, windowOf } from '../../../domain/window/window.ts';

const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);

/** Proposed in a second, run for ten. */
const quick = (n: number, more: Partial<StoredOutcome> = {}): StoredOutcome => ({
  ...{ n, kind: 'search', status: 'completed', verdict: 'discard', slotWaitSeconds: 0.1, seconds: 10 },
  ...{ createdAt: at(0), readyAt: at(1), startedAt: at(1.1), endpointAway: false },
  ...more,
});

test('times in which the endpoint was away are no measure of a trial: neither of its model nor of a slot that stood free', () => {
  const away = quick(1, { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 3600, endpointAway: true });
  expect(endedOf(away, null)).toMatchObject({ proposeSeconds: null, slotWaitSeconds: null, slotSeconds: 10 });
  expect(endedOf({ ...away, endpointAway: false }, null)).toMatchObject({
    proposeSeconds: 3600,
    slotWaitSeconds: 3600,
  });
});

test('the window is the same after an hour in which the endpoint was away as without it', () => {
  const after = (trials: StoredOutcome[]): number =>
    windowOf(trials.reduce((state, one) => adaptWindow(state, endedOf(one, null)), initialWindow({ slots: 4 })));
  const row = Array.from({ length: 60 }, (_, index) => quick(index + 1));
  const hour = { readyAt: at(3600), startedAt: at(3600.1), slotWaitSeconds: 3590 };
  const hit = (endpointAway: boolean) =>
    row.map((one) => (one.n > 30 && one.n <= 36 ? { ...one, ...hour, endpointAway } : one));
  expect(after(hit(true))).toBe(after(row));
  expect(after(hit(false))).toBeGreaterThan(after(row));
});
