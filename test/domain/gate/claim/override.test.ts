import { expect, test } from 'vitest';
import { advance, claim, override } from '../../../../domain/gate/gate.ts';
import { reportGain } from '../../../../domain/gate/report-gain.ts';
import type { GateConfig, GateState } from '../../../../domain/gate/types.ts';
import { Hand, parentOf } from '../support.ts';

/** A gate in which a person made x the incumbent, though its one run was no better than the ten of the incumbent. */
function crowned(config: Partial<GateConfig>): Hand {
  const hand = new Hand(config).calibrate(config.policy === 'strict' ? [0] : undefined);
  hand.feed({ candidateId: 'x', value: -0.5 });
  const kept = override(hand.config, hand.state, { verdict: 'keep', n: hand.n, candidateId: 'x', value: -0.5 });
  if ('refused' in kept) throw new Error(kept.refused);
  hand.state = kept.state;
  hand.wants = [...kept.wants];
  return hand;
}

test.each([
  { policy: 'strict', followsLead: false, baselineRuns: 1 },
  { policy: 'noise-gated', followsLead: false },
  { policy: 'noise-gated', followsLead: true },
] as const)(
  "a person's keep is not taken back by its predecessor ($policy, follows the lead: $followsLead)",
  (config) => {
    const hand = crowned(config);
    hand.answer(({ candidateId }) => (candidateId === 'x' ? -0.5 + (hand.n % 3) / 10 : 0), 10);
    for (let i = 0; i < 60; i += 1) {
      hand.feed({ value: -3 - (i % 5), parentId: 'x' });
      hand.answer(({ candidateId }) => (candidateId === 'x' ? -0.5 + (hand.n % 3) / 10 : 0), 10);
    }
    hand.feed({ kind: 'remeasure', candidateId: 'base', parentId: null, value: 0.2 });
    expect(claim(hand.state).candidateId).toBe('x');
    expect(parentOf(hand.config, hand.state)).toBe('x');
  },
);

test('a single run that a person discards is no longer shown as the best', () => {
  const hand = new Hand({ policy: 'noise-gated', followsLead: true }).calibrate();
  hand.feed({ candidateId: 'leak', value: 50 });
  const { n } = hand;
  const said = override(hand.config, hand.state, { verdict: 'discard', n, candidateId: 'leak', value: 50 });
  if ('refused' in said) throw new Error(said.refused);
  expect(reportGain(hand.config, hand.state).raw?.candidateId).toBe('leak');
  expect(reportGain(hand.config, said.state).raw).toBe(null);
});

test('a better candidate takes the claim from one that a person kept, and may itself be demoted again', () => {
  const hand = crowned({ policy: 'strict', followsLead: false, baselineRuns: 1 });
  hand.feed({ candidateId: 'y', value: 1 });
  expect(claim(hand.state).candidateId).toBe('y');
  hand.feed({ kind: 'remeasure', candidateId: 'y', parentId: null, value: -9 });
  expect(claim(hand.state).candidateId).toBe('x');
});

test('a discard of a candidate that a person kept restores the predecessor, and a second one changes nothing', () => {
  const hand = crowned({ policy: 'noise-gated', followsLead: true });
  const word = { verdict: 'discard', n: 11, candidateId: 'x', value: -0.5 } as const;
  const back = override(hand.config, hand.state, word);
  if ('refused' in back) throw new Error(back.refused);
  expect(claim(back.state).candidateId).toBe('base');
  const again = override(hand.config, back.state, word);
  if ('refused' in again) throw new Error(again.refused);
  expect(again.state.incumbentId).toBe('base');
  expect(again.claimed).toBeNull();
});

test('a discard of an earlier claim that a person kept again restores the claim that it had replaced', () => {
  const hand = new Hand({ policy: 'strict', followsLead: false, baselineRuns: 1 }).calibrate([0]);
  hand.feed({ candidateId: 'first', value: 1 });
  const { n } = hand;
  hand.feed({ candidateId: 'second', value: 2 });
  expect(claim(hand.state)).toMatchObject({ candidateId: 'second' });
  const say = (verdict: 'keep' | 'discard'): void => {
    const said = override(hand.config, hand.state, { verdict, n, candidateId: 'first', value: 1 });
    if ('refused' in said) throw new Error(said.refused);
    hand.state = said.state;
    hand.rulings.push(...said.rulings);
  };
  say('keep');
  say('keep');
  expect(claim(hand.state).candidateId).toBe('first');
  say('discard');
  expect(claim(hand.state).candidateId).toBe('second');
  expect(hand.rulings.filter((ruling) => ruling.n === n + 1).map(({ verdict }) => verdict)).toEqual(['keep']);
});

test.each([false, true])(
  'nor is one on the incumbent that a race is open against (the search follows the lead: %s)',
  (followsLead) => {
    const hand = new Hand({ followsLead }).calibrate();
    hand.feed({ candidateId: 'x', value: 6 });
    const noisy = (mean: number): number => mean + ((hand.n * 7) % 5) / 5 - 0.4;
    hand.answer(({ candidateId }) => noisy(candidateId === 'x' ? 6 : 0), 200);
    expect(claim(hand.state).candidateId).toBe('x');
    const kept = override(hand.config, hand.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 6 });
    if ('refused' in kept) throw new Error(kept.refused);
    Object.assign(hand, { state: kept.state, wants: [...hand.wants, ...kept.wants] });
    // From here on, x measures far below its predecessor.
    for (let i = 0; i < 80; i += 1) {
      hand.feed({ kind: 'remeasure', candidateId: 'x', parentId: null, value: noisy(-6) });
      hand.answer(({ candidateId }) => noisy(candidateId === 'x' ? -6 : 0), 10);
    }
    expect(claim(hand.state).candidateId).toBe('x');
    expect(parentOf(hand.config, hand.state)).toBe('x');
  },
);

test('a keep of the incumbent by a person protects it from its predecessor', () => {
  const hand = new Hand({ policy: 'strict', followsLead: false, baselineRuns: 1 }).calibrate([0]);
  hand.feed({ candidateId: 'y', value: 1 });
  const keep = { verdict: 'keep', n: hand.n, candidateId: 'y', value: 1 } as const;
  const demoted = (state: GateState): string =>
    advance(hand.config, state, {
      n: hand.n + 1,
      kind: 'remeasure',
      candidateId: 'y',
      parentId: null,
      ofTrial: 2,
      seed: 3,
      value: -9,
    } as const).state.incumbentId;
  expect(demoted(hand.state)).toBe('base');
  const kept = override(hand.config, hand.state, keep);
  if ('refused' in kept) throw new Error(kept.refused);
  expect(kept.claimed).toBeNull();
  expect(demoted(kept.state)).toBe('y');
});

test('a discard of the only candidate that ever ran leaves no claim: the next one that runs is the incumbent', () => {
  const hand = new Hand({ policy: 'strict', followsLead: false, baselineRuns: 1, direction: 'minimize' });
  hand.answer(() => null);
  hand.feed({ candidateId: 'x', value: 4 });
  expect(claim(hand.state).candidateId).toBe('x');
  const back = override(hand.config, hand.state, { verdict: 'discard', n: hand.n, candidateId: 'x', value: 4 });
  if ('refused' in back) throw new Error(back.refused);
  expect(back.claimed).toBeNull();
  Object.assign(hand, { state: back.state, wants: [...back.wants] });
  hand.feed({ candidateId: 'y', value: 9 });
  expect(claim(hand.state)).toMatchObject({ candidateId: 'y', mean: 9, n: 1 });
});

test('open races go on against the candidate that a person kept, or are ruled on', () => {
  const open = (): Hand => {
    const hand = new Hand({ followsLead: false }).calibrate();
    hand.feed({ candidateId: 'x', value: 0.5 });
    hand.feed({ candidateId: 'low', value: 1.5 });
    hand.feed({ candidateId: 'high', value: 4 });
    expect(hand.state.races.map(({ candidateId }) => candidateId)).toEqual(['low', 'high']);
    return hand;
  };
  const hand = open();
  const kept = override(hand.config, hand.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 2 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(kept.state.races).toMatchObject([{ candidateId: 'high', heat: true, values: [] }]);
  expect(kept.rulings).toMatchObject([{ n: 12, verdict: 'discard' }]);
});

test('a verdict of a person on a re-run is one on the first trial of its candidate', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'x', value: 4 });
  hand.feed({ kind: 'confirm', candidateId: 'x', parentId: null, ofTrial: 11, value: 3.9 });
  for (const verdict of ['keep', 'discard'] as const) {
    const said = override(hand.config, hand.state, { verdict, n: 12, candidateId: 'x', value: 3.9 });
    if ('refused' in said) throw new Error(said.refused);
    const reason = "a person's verdict on run #12 of this candidate";
    expect(said.rulings.at(-1)).toMatchObject({ n: 11, verdict, reason });
  }
});

test('a lead is ruled on if a person chooses another candidate', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'lead', value: 1.4 });
  expect(hand.state.leadId).toBe('lead');
  const kept = override(hand.config, hand.state, { verdict: 'keep', n: 1, candidateId: 'other', value: 3 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(kept.rulings).toMatchObject([{ n: 11, verdict: 'discard', reason: 'no claim: a person chose trial 1' }]);
});
