import { expect, test } from 'vitest';
import { earlyProposals } from '../../../domain/gate/early.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, Hand } from './support.ts';

test('from the fourth baseline run on one proposal for two of them may run beside', () => {
  const { state } = openGate(CONFIG, 'base');
  const begun = [0, 1, 3, 4, 5, 6, 8, 9];
  expect(begun.map((runs) => earlyProposals(state, 10 - runs))).toEqual([0, 0, 0, 1, 1, 2, 3, 3]);
});

test('a short baseline is run as a whole, and nothing is early after it', () => {
  const { state } = openGate({ ...CONFIG, baselineRuns: 3 }, 'base');
  expect([3, 1, 0].map((runs) => earlyProposals(state, runs))).toEqual([0, 0, 0]);
  expect(earlyProposals(new Hand().calibrate().state, 0)).toBe(0);
});

test('a plain loser is discarded at once, what may be better waits, and both are ruled on in the end', () => {
  const hand = new Hand().calibrate(BASELINE.slice(0, 4));
  for (const value of [-9, 9, -2]) hand.feed({ value });
  expect(hand.verdictOf(5)).toEqual({
    n: 5,
    verdict: 'discard',
    reason: 'plainly worse than the 4 baseline runs so far: 99 % of such runs are above -7.289',
  });
  for (const n of [6, 7]) expect(hand.verdictOf(n)).toMatchObject({ verdict: 'none' });
  hand.calibrate(BASELINE.slice(4));
  expect(hand.verdictOf(5)?.verdict).toBe('discard');
  expect(hand.verdictOf(6)?.verdict).toBe('confirm');
  expect(hand.verdictOf(7)?.verdict).not.toBe('none');
  // It tells the prior what proposals are like, as one that came after the baseline would have.
  expect(hand.state.prior.n).toBe(3);
});

test('a loss is called so where smaller is better, too', () => {
  const hand = new Hand({ direction: 'minimize' }).calibrate(BASELINE.slice(0, 4));
  hand.feed({ value: 9 });
  expect(hand.verdictOf(5)?.reason).toMatch(/99 % of such runs are below 7\.\d+$/);
});

test('nothing is said before three baseline runs, nor of runs that are all the same', () => {
  const few = new Hand().calibrate(BASELINE.slice(0, 2));
  few.feed({ value: -99 });
  expect(few.verdictOf(3)?.verdict).toBe('none');
  const same = new Hand().calibrate([1, 1, 1, 1]);
  same.feed({ value: -99 });
  expect(same.verdictOf(5)?.verdict).toBe('none');
});
