import { expect, test } from 'vitest';
import { lead } from '../../../domain/gate/gate.ts';
import { Hand } from './support.ts';

/** Answers the wanted runs of the lead with this value, and all others with 0. */
const settled = (hand: Hand, value: number): void =>
  hand.answer((want) => (want.candidateId === 'huge' ? value : 0), 40);

test('a gain of many sd is estimated as measured, and worse candidates do not take the lead', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'huge', value: 80 });
  expect(lead(hand.state)).toMatchObject({ candidateId: 'huge' });
  expect(lead(hand.state).estimate).toBeCloseTo(80, 6);
  settled(hand, 80);
  for (const value of [77, 60, 10]) hand.feed({ parentId: 'huge', value });
  expect(lead(hand.state).candidateId).toBe('huge');
  expect(hand.verdictOf(hand.n)).toMatchObject({ verdict: 'discard' });
  expect(hand.verdictOf(hand.n)?.reason).toMatch(/^expected gain over the lead -7\d/);
});

test('a loss of many sd is reported as such', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'awful', value: -500 });
  expect(hand.verdictOf(hand.n)?.reason).toMatch(/^expected gain over the lead -(49|50)\d/);
});

test('a lead that cannot be run again is given up, and the search goes on', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'huge', value: 80 });
  expect(lead(hand.state).candidateId).toBe('huge');
  let failed = 0;
  for (let i = 0; i < 60; i += 1) {
    hand.feed({ parentId: 'base', value: -9 });
    hand.answer((want) => {
      if (want.candidateId === 'huge') failed += 1;
      return want.candidateId === 'huge' ? null : 0.1 * hand.n;
    }, 200);
  }
  expect(hand.wants).toEqual([]);
  expect(failed).toBeLessThan(40);
  expect(lead(hand.state).candidateId).toBe('base');
  expect(hand.verdictOf(11)).toMatchObject({ verdict: 'discard' });
});
