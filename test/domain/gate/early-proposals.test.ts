import { expect, test } from 'vitest';
import { earlyProposals } from '../../../domain/gate/early-proposals.ts';
import { lead, openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, Hand } from './support.ts';

const from = (more: object) => ({ waiting: 6, begun: 0, injected: 0, left: null, window: 2, ...more });
const { state: open } = openGate(CONFIG, 'base');

test('from the fourth baseline run on, one early proposal is allowed for every two of them, three at most', () => {
  const begun = [0, 1, 3, 4, 5, 6, 8, 9];
  expect(begun.map((runs) => earlyProposals(open, from({ waiting: 10 - runs })))).toEqual([0, 0, 0, 1, 1, 2, 3, 3]);
  const long = openGate({ ...CONFIG, baselineRuns: 100 }, 'base').state;
  expect(earlyProposals(long, from({ waiting: 2 }))).toBe(3);
});

test.each([
  [{}, 1],
  [{ begun: 1 }, 0],
  [{ waiting: 2, begun: 2 }, 1],
  [{ waiting: 0 }, 0],
  [{ injected: 1 }, 0],
  [{ window: 1 }, 0],
  [{ left: 9 }, 0],
  [{ left: 10 }, 1],
  [{ waiting: 2, left: 20 }, 2],
  [{ waiting: 2, left: 19, begun: 1 }, 1],
])('with %j, %i more early proposals are allowed', (more, expected) =>
  expect(earlyProposals(open, from(more))).toBe(expected),
);

test('a short baseline runs alone, and no proposal is early after it', () => {
  const { state } = openGate({ ...CONFIG, baselineRuns: 3 }, 'base');
  expect([3, 1, 0].map((waiting) => earlyProposals(state, from({ waiting })))).toEqual([0, 0, 0]);
  expect(earlyProposals(new Hand().calibrate().state, from({}))).toBe(0);
});

test('the run of one of several seeds is never ruled plainly worse', () => {
  const hand = new Hand({ repeats: 3 }).calibrate(BASELINE.slice(0, 4));
  hand.feed({ value: -50 });
  expect(hand.verdictOf(5)).toMatchObject({ verdict: 'none' });
});

test('while the baseline runs, its estimate is the mean of its runs, not the first of them', () => {
  const hand = new Hand().calibrate([3, -1, 0.5, -0.5]);
  expect(lead(hand.state).estimate).toBeCloseTo(0.5, 12);
});

test('a plain loser is discarded at once, a possible winner waits, and both are ruled on in the end', () => {
  const hand = new Hand().calibrate(BASELINE.slice(0, 4));
  for (const value of [-9, 9, -2]) hand.feed({ value });
  expect(hand.verdictOf(5)).toEqual({
    n: 5,
    verdict: 'discard',
    reason:
      'plainly worse than the 4 baseline runs so far: another baseline run would be above -7.289 in 99 of 100 cases',
  });
  for (const n of [6, 7]) expect(hand.verdictOf(n)).toMatchObject({ verdict: 'none' });
  hand.calibrate(BASELINE.slice(4));
  expect(hand.verdictOf(5)?.verdict).toBe('discard');
  expect(hand.verdictOf(6)?.verdict).toBe('confirm');
  expect(hand.verdictOf(7)?.verdict).not.toBe('none');
  // The early loser counts in the prior like a proposal after the baseline.
  expect(hand.state.prior.n).toBe(3);
});

test('a plain loser is found if smaller is better, too', () => {
  const hand = new Hand({ direction: 'minimize' }).calibrate(BASELINE.slice(0, 4));
  hand.feed({ value: 9 });
  expect(hand.verdictOf(5)?.reason).toMatch(/another baseline run would be below 7\.\d+ in 99 of 100 cases$/);
});

test('no loser is discarded before three baseline runs, nor if all runs are the same', () => {
  const few = new Hand().calibrate(BASELINE.slice(0, 2));
  few.feed({ value: -99 });
  expect(few.verdictOf(3)?.verdict).toBe('none');
  const same = new Hand().calibrate([1, 1, 1, 1]);
  same.feed({ value: -99 });
  expect(same.verdictOf(5)?.verdict).toBe('none');
});
