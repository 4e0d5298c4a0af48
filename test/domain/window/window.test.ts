import { expect, test } from 'vitest';
import { simulateWindow, type Propose } from '../../../bench/window/simulate.ts';
import { adaptWindow, initialWindow, proposalsAhead, resizedWindow, windowOf } from '../../../domain/window/window.ts';

const scene = (slots: number, runSeconds: number, propose: Propose) => ({
  slots,
  runSeconds,
  propose,
  trials: 120 * Math.max(4, slots),
  seed: 11,
});
const ALL = [1, 4, 16].flatMap((slots) => [2, 10, 30].map((runSeconds) => [slots, runSeconds] as const));

test.each(ALL)('%d slots with %d-s runs stay busy, however slow the proposer is', (slots, runSeconds) => {
  // The start of a run takes 12 ms that no window can save.
  const best = runSeconds / (runSeconds + 0.012);
  for (const propose of [0.05, 2, 10] as const)
    expect(simulateWindow(scene(slots, runSeconds, propose)).busy, `propose ${propose}`).toBeGreaterThan(best - 0.03);
  expect(simulateWindow(scene(slots, runSeconds, 'heavy')).busy, 'heavy-tailed').toBeGreaterThan(best - 0.1);
});

test.each(ALL)('%d slots with %d-s runs: the window converges', (slots, runSeconds) => {
  for (const propose of [0.05, 2, 10] as const) {
    const { changes, turns } = simulateWindow(scene(slots, runSeconds, propose));
    expect(changes, `propose ${propose}`).toBeLessThanOrEqual(6);
    expect(turns, `propose ${propose}`).toBeLessThanOrEqual(2);
  }
});

test.each(ALL)(
  '%d slots with %d-s runs: the window follows a proposer that becomes slower or faster',
  (slots, runSeconds) => {
    const [fast, slow] = [scene(slots, runSeconds, 2), scene(slots, runSeconds, 10)];
    const slower = simulateWindow({ ...fast, proposeLater: 10 });
    const faster = simulateWindow({ ...slow, proposeLater: 2 });
    expect(slower.busy).toBeGreaterThan(0.9);
    expect(faster.busy).toBeGreaterThan(0.95);
    expect(slower.turns + faster.turns).toBeLessThanOrEqual(6);
    // Early proposals know less, so a window that is larger than needed shrinks.
    expect(faster.window).toBeLessThan(slots * (1 + 2 / runSeconds) * 1.3 + 3);
  },
);

test.each(ALL)('%d slots with %d-s runs: no more proposals are under way than are needed', (slots, runSeconds) => {
  for (const propose of [0.05, 2, 10] as const) {
    const needed = slots * (1 + propose / runSeconds);
    const { window } = simulateWindow(scene(slots, runSeconds, propose));
    expect(window, `propose ${propose}`).toBeLessThanOrEqual(Math.ceil(1.25 * needed + 2));
  }
});

test('the controller neither starves the slots like a small window nor makes proposals stale like a large one', () => {
  const adapted = simulateWindow(scene(4, 10, 2));
  const small = simulateWindow({ ...scene(4, 10, 2), fixed: 4 });
  const large = simulateWindow({ ...scene(4, 10, 2), fixed: 12 });
  expect(small.busy).toBeLessThan(adapted.busy - 0.1);
  expect(large.staleness).toBeGreaterThan(adapted.staleness + 3);
});

test('the window keeps its bounds for any measurements', () => {
  let state = initialWindow({ slots: 4, bounds: { low: 4, high: 9 } });
  const odd = [null, Number.NaN, -1, 0, 1e9, Number.POSITIVE_INFINITY, 3];
  for (let i = 0; i < 500; i += 1) {
    const pick = (k: number): number | null => odd[(i * k + k) % odd.length] ?? null;
    state = adaptWindow(state, {
      slotWaitSeconds: pick(1),
      readyWaitSeconds: pick(2),
      proposeSeconds: pick(3),
      slotSeconds: pick(5),
    });
    expect(windowOf(state)).toBeGreaterThanOrEqual(4);
    expect(windowOf(state)).toBeLessThanOrEqual(9);
  }
  expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  expect(JSON.stringify(state).length).toBeLessThan(600);
});

test('a window begins with enough candidates for slots that become free together', () => {
  expect([1, 4, 16].map((slots) => windowOf(initialWindow({ slots, ahead: proposalsAhead(slots) })))).toEqual([
    2, 5, 20,
  ]);
});

test('no slots is refused', () => {
  expect(() => initialWindow({ slots: 0 })).toThrow('Expected at least one slot, got 0');
});

test('the window grows and shrinks with its pool, by the measured times of a trial', () => {
  const ended = { slotWaitSeconds: 0, readyWaitSeconds: 0, proposeSeconds: 5, slotSeconds: 5 };
  let state = initialWindow({ slots: 4 });
  expect(windowOf(resizedWindow(state, 16))).toBe(17);
  expect(resizedWindow(state, 4)).toBe(state);
  for (let i = 0; i < 40; i += 1) state = adaptWindow(state, ended);
  const before = windowOf(state);
  const grown = resizedWindow(state, 16);
  expect(windowOf(grown)).toBeGreaterThanOrEqual(32);
  const shrunk = resizedWindow(grown, 4);
  expect(windowOf(shrunk)).toBe(before);
  expect(windowOf(resizedWindow(shrunk, 1))).toBeLessThan(before);
  expect(() => resizedWindow(state, 0)).toThrow(RangeError);
});
