import { expect, test } from 'vitest';
import { earlyProposals } from '../../../domain/gate/early-proposals.ts';
import { lead, openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, GateDriver } from './support.ts';

const inputOf = (more: object) => ({
  baselineRunsWaiting: 6,
  proposalsBegun: 0,
  injectedWaiting: 0,
  proposalsLeft: null,
  window: 2,
  ...more,
});
const { state: open } = openGate(CONFIG, 'base');

test('early proposals: one after 4 baseline runs, then one more per 2 runs, at most 3', () => {
  const runsBegun = [0, 1, 3, 4, 5, 6, 8, 9];
  const allowed = runsBegun.map((runs) => earlyProposals(open, inputOf({ baselineRunsWaiting: 10 - runs })));
  expect(allowed).toEqual([0, 0, 0, 1, 1, 2, 3, 3]);
  const long = openGate({ ...CONFIG, baselineRuns: 100 }, 'base').state;
  expect(earlyProposals(long, inputOf({ baselineRunsWaiting: 2 }))).toBe(3);
});

test.each([
  [{}, 1],
  [{ proposalsBegun: 1 }, 0],
  [{ baselineRunsWaiting: 2, proposalsBegun: 2 }, 1],
  [{ baselineRunsWaiting: 0 }, 0],
  [{ injectedWaiting: 1 }, 0],
  [{ window: 1 }, 0],
  [{ proposalsLeft: 9 }, 0],
  [{ proposalsLeft: 10 }, 1],
  [{ baselineRunsWaiting: 2, proposalsLeft: 20 }, 2],
  [{ baselineRunsWaiting: 2, proposalsLeft: 19, proposalsBegun: 1 }, 1],
])('with %j, %i more early proposals are allowed', (more, expected) =>
  expect(earlyProposals(open, inputOf(more))).toBe(expected),
);

test('a short baseline runs alone, and no proposal is early after it', () => {
  const { state } = openGate({ ...CONFIG, baselineRuns: 3 }, 'base');
  const allowed = [3, 1, 0].map((runs) => earlyProposals(state, inputOf({ baselineRunsWaiting: runs })));
  expect(allowed).toEqual([0, 0, 0]);
  expect(earlyProposals(new GateDriver().calibrate().state, inputOf({}))).toBe(0);
});

test('with several seeds, one run is never enough to discard', () => {
  const driver = new GateDriver({ repeats: 3 }).calibrate(BASELINE.slice(0, 4));
  driver.feed({ value: -50 });
  expect(driver.verdictOf(5)).toMatchObject({ verdict: 'none' });
});

test('while the baseline runs, its estimate is the mean of its runs, not the first of them', () => {
  const driver = new GateDriver().calibrate([3, -1, 0.5, -0.5]);
  expect(lead(driver.state).estimate).toBeCloseTo(0.5, 12);
});

test('a plainly worse run is discarded at once; other runs wait for the whole baseline', () => {
  const driver = new GateDriver().calibrate(BASELINE.slice(0, 4));
  for (const value of [-9, 9, -2]) driver.feed({ value });
  expect(driver.verdictOf(5)).toEqual({
    n: 5,
    verdict: 'discard',
    reason:
      'plainly worse than the 4 baseline runs so far: another baseline run would be above -7.289 in 99 of 100 cases',
  });
  for (const n of [6, 7]) expect(driver.verdictOf(n)).toMatchObject({ verdict: 'none' });
  driver.calibrate(BASELINE.slice(4));
  expect(driver.verdictOf(5)?.verdict).toBe('discard');
  expect(driver.verdictOf(6)?.verdict).toBe('confirm');
  expect(driver.verdictOf(7)?.verdict).not.toBe('none');
  // The run that was discarded early counts in the prior like a proposal after the baseline.
  expect(driver.state.prior.n).toBe(3);
});

test('a plainly worse run is discarded if smaller is better, too', () => {
  const driver = new GateDriver({ direction: 'minimize' }).calibrate(BASELINE.slice(0, 4));
  driver.feed({ value: 9 });
  expect(driver.verdictOf(5)?.reason).toMatch(/another baseline run would be below 7\.\d+ in 99 of 100 cases$/);
});

test('no run is discarded before three baseline runs, nor if all baseline runs are equal', () => {
  const few = new GateDriver().calibrate(BASELINE.slice(0, 2));
  few.feed({ value: -99 });
  expect(few.verdictOf(3)?.verdict).toBe('none');
  const constant = new GateDriver().calibrate([1, 1, 1, 1]);
  constant.feed({ value: -99 });
  expect(constant.verdictOf(5)?.verdict).toBe('none');
});
