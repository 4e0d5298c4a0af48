import { expect, test } from 'vitest';
import { claim } from '../../../../domain/gate/gate.ts';
import { Hand, jitter } from '../support.ts';

const TRUE_VALUES: Record<string, number> = { base: 0, good: 5, better: 9, best: 14 };

test('two winners at once cannot both win: the second is raced again, against the new incumbent', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'good', value: 5 });
  hand.feed({ candidateId: 'better', value: 9 });
  expect(hand.state.races).toHaveLength(2);
  const previous: string[] = [];
  while (hand.wants.length > 0) {
    const before = hand.claims.length;
    hand.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n), 1);
    expect(hand.claims.length - before).toBeLessThanOrEqual(1);
  }
  for (const { previous: from } of hand.claims) previous.push(from);
  expect(claim(hand.state).candidateId).toBe('better');
  // In whatever order they claimed, each later claim was made against the one before.
  expect(new Set(previous).size).toBe(previous.length);
  expect(previous[0]).toBe('base');
});

test('of two equal winners only the first is kept', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'twin1', value: 5 });
  hand.feed({ candidateId: 'twin2', value: 5 });
  hand.answer((want) => (want.candidateId.startsWith('twin') ? 5 : 0) + jitter(hand.n));
  expect(hand.claims).toHaveLength(1);
  expect([hand.verdictOf(11)?.verdict, hand.verdictOf(12)?.verdict].sort()).toEqual(['discard', 'keep']);
});

test('many candidates at once queue for their races and all end', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  for (let i = 0; i < 12; i += 1) hand.feed({ value: 2 + jitter(i) / 3 });
  expect(hand.state.races.length).toBeLessThanOrEqual(4);
  hand.answer(() => jitter(hand.n));
  for (let n = 11; n <= 22; n += 1) expect(hand.verdictOf(n), `trial ${n}`).toMatchObject({ verdict: 'discard' });
});

test('a candidate whose re-runs all fail loses, with the reason, after a bounded number of runs', () => {
  for (const followsLead of [false, true]) {
    const hand = new Hand({ followsLead }).calibrate();
    hand.feed({ candidateId: 'fragile', value: 6 });
    hand.answer((want) => (want.candidateId === 'fragile' ? null : jitter(hand.n)), 200);
    expect(hand.wants).toHaveLength(0);
    expect(hand.n).toBeLessThan(100);
    expect(hand.claims).toHaveLength(0);
    expect(hand.rulings.some(({ n, reason }) => n === 11 && /gave no value/.test(reason))).toBe(true);
    expect(hand.verdictOf(11)).toMatchObject({ verdict: 'discard' });
  }
});

test('a race survives single failed runs, which are wanted again', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'good', value: 6 });
  let failed = 0;
  hand.answer((want) => {
    if (failed < 2 && want.candidateId === 'good') {
      failed += 1;
      return null;
    }
    return (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n);
  });
  expect(failed).toBe(2);
  expect(hand.verdictOf(11)).toMatchObject({ verdict: 'keep' });
});

test('a late confirm run of an ended race adds to the estimate and has the verdict none', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'good', value: 6 });
  hand.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n));
  const before = claim(hand.state);
  hand.feed({ kind: 'confirm', candidateId: 'good', ofTrial: 11, value: 5.5 });
  expect(hand.verdictOf(hand.n)).toMatchObject({ verdict: 'none' });
  expect(claim(hand.state).n).toBe(before.n + 1);
  hand.feed({ kind: 'confirm', candidateId: 'nobody', ofTrial: 3, value: 5.5 });
  expect(hand.verdictOf(hand.n)).toMatchObject({ verdict: 'none' });
});

test('a gain that is not larger than minDelta is not kept, however certain', () => {
  for (const [minDelta, verdict] of [
    [8, 'discard'],
    [1, 'keep'],
  ] as const) {
    const hand = new Hand({ followsLead: false, minDelta }).calibrate();
    hand.feed({ candidateId: 'good', value: 9 });
    hand.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n));
    expect(hand.verdictOf(11)).toMatchObject({ verdict });
  }
});

test('an incumbent that re-measures far below its predecessor is raced against it and demoted', () => {
  for (const followsLead of [false, true]) {
    const hand = new Hand({ followsLead }).calibrate();
    hand.feed({ candidateId: 'good', value: 6 });
    hand.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n));
    expect(claim(hand.state).candidateId).toBe('good');
    // The gain was luck, or the machine changed: from here on, "good" is worse than the baseline.
    const now = (id: string): number => (id === 'good' ? -6 : 0);
    for (let i = 0; i < 30 && claim(hand.state).candidateId === 'good'; i += 1) {
      hand.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: -6 + jitter(i) });
      hand.answer((want) => now(want.candidateId) + jitter(hand.n));
    }
    expect(claim(hand.state).candidateId).toBe('base');
    expect(hand.claims.at(-1)).toMatchObject({ candidateId: 'base', previous: 'good' });
    expect(hand.verdictOf(11)).toMatchObject({ verdict: 'discard' });
    expect(hand.verdictOf(11)?.reason).toContain('demoted');
  }
});

test('re-measuring an incumbent as good as it was claimed leaves it in place', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'good', value: 6 });
  hand.answer((want) => (TRUE_VALUES[want.candidateId] ?? 0) + jitter(hand.n));
  for (let i = 0; i < 30; i += 1)
    hand.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: 4.6 + jitter(i) });
  expect(claim(hand.state).candidateId).toBe('good');
  expect(hand.claims).toHaveLength(1);
});
