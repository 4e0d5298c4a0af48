import { expect, test } from 'vitest';
import { simulate } from '../../../bench/verdicts/simulate.ts';
import { advance, baseline, claim, lead, openGate } from '../../../domain/gate/gate.ts';
import type { EndedRun, GateState } from '../../../domain/gate/types.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import { TRIAL_KINDS } from '../../../domain/trial.ts';
import { CONFIG, Hand, jitter, parentOf } from './support.ts';

test('the gate wants the baseline runs first and has no values before', () => {
  const { state, wants } = openGate(CONFIG, 'base');
  expect(wants).toHaveLength(10);
  expect(new Set(wants.map((want) => want.kind))).toEqual(new Set(['baseline']));
  expect(claim(state)).toMatchObject({ candidateId: 'base', mean: null, sd: null, n: 0 });
  expect(parentOf(CONFIG, state)).toBe('base');
});

test('a search result that ends before the baseline is held and ruled on later', () => {
  const hand = new Hand();
  hand.feed({ value: -9 });
  expect(hand.verdictOf(1)).toMatchObject({ verdict: 'none' });
  hand.calibrate();
  expect(hand.verdictOf(1)).toMatchObject({ verdict: 'discard' });
});

test('a run that is counted already changes nothing', () => {
  const hand = new Hand().calibrate();
  const run: EndedRun = { n: 11, kind: 'search', candidateId: 'x', parentId: 'base', ofTrial: null, seed: 1, value: 2 };
  const once = advance(CONFIG, hand.state, run);
  expect(once.rulings).not.toHaveLength(0);
  const twice = advance(CONFIG, once.state, run);
  expect(twice).toEqual({ state: once.state, rulings: [], wants: [], claimed: null });
});

test('runs that end out of order are each counted once', () => {
  const hand = new Hand({ baselineRuns: 3 });
  for (const n of [3, 1, 2, 1, 3]) hand.feed({ ...hand.wants[0]!, n, value: n });
  expect(baseline(hand.state)).toMatchObject({ mean: 2, n: 3, sd: 1 });
});

test('a search trial that early abort stopped counts as one that lost at its end', () => {
  const [stopped, ended, byHand] = [new Hand().calibrate(), new Hand().calibrate(), new Hand().calibrate()];
  for (let i = 0; i < 80; i += 1) {
    stopped.feed({ value: null, censored: true, stopped: true });
    ended.feed({ value: -9 });
    byHand.feed({ value: null, censored: true });
  }
  // After 80 trials, the lead is due 16 runs, and it has ten.
  for (const hand of [stopped, ended]) {
    expect(hand.wants).toEqual([{ kind: 'remeasure', candidateId: 'base', ofTrial: null }]);
    expect(hand.state).toMatchObject({ searched: 80, sinceMove: 80 });
  }
  expect(stopped.state.account).toBe(ended.state.account);
  expect(byHand.wants).toEqual([]);
  expect(byHand.state.searched).toBe(0);
});

test('the state that is passed in stays unchanged', () => {
  const hand = new Hand().calibrate();
  const before = JSON.stringify(hand.state);
  advance(CONFIG, hand.state, {
    n: 99,
    kind: 'search',
    candidateId: 'x',
    parentId: 'base',
    ofTrial: null,
    seed: 1,
    value: 3,
  });
  expect(JSON.stringify(hand.state)).toBe(before);
});

test('a plainly better candidate becomes the lead, then wins its race, with its numbers in the reason', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'good', value: 5 });
  expect(hand.verdictOf(11)).toMatchObject({ verdict: 'confirm' });
  hand.answer((want) => (want.candidateId === 'good' ? 5 : 0) + jitter(hand.n));
  expect(hand.verdictOf(11)).toMatchObject({ verdict: 'keep' });
  expect(hand.verdictOf(11)?.reason).toMatch(/race won: \+\d.* p 0\.0\d+ ≤ 0\.0\d+/);
  expect(hand.claims).toHaveLength(1);
  expect(hand.claims[0]).toMatchObject({ candidateId: 'good', previous: 'base', ofTrial: 11 });
  expect(claim(hand.state).candidateId).toBe('good');
  expect(parentOf(hand.config, hand.state)).toBe('good');
  // The claim rests on the runs of the race alone, not on the lucky first run.
  expect(hand.claims[0]?.n).toBeGreaterThanOrEqual(6);
});

test('one lucky run of an equal candidate is not kept', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'lucky', value: 3 });
  hand.answer(() => jitter(hand.n));
  expect(hand.verdictOf(11)?.verdict).not.toBe('keep');
  expect(hand.claims).toHaveLength(0);
  expect(claim(hand.state).candidateId).toBe('base');
});

test('with direction minimize the same values negated give the same verdicts', () => {
  const scene = { hill: { share: 0.1, size: 1 }, noise: 'normal' as const, seed: 4, runs: 300 };
  const up = simulate({ ...scene, config: CONFIG });
  const down = simulate({ ...scene, config: { ...CONFIG, direction: 'minimize' } });
  // The simulated truth has the same orientation in both; only the reported value changes its sign.
  expect(down.keeps).toBe(up.keeps);
  expect(down.state.incumbentId).toBe(up.state.incumbentId);
  expect(lead(down.state).estimate).toBeCloseTo(-(lead(up.state).estimate ?? Number.NaN), 9);
  expect(up.keeps).toBeGreaterThan(0);
});

test('the lead is only reported if the search does not follow it', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'x', value: 2.5 });
  expect(lead(hand.state).candidateId).toBe('x');
  expect(parentOf(hand.config, hand.state)).toBe('base');
});

test('the estimate of the lead is shrunken: it lies between its parent and the measured value', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.feed({ candidateId: 'x', value: 2.5 });
  const { estimate, error } = lead(hand.state);
  expect(estimate).toBeGreaterThan(0);
  expect(estimate).toBeLessThan(2.2);
  expect(error).toBeGreaterThan(0.3);
});

test('the state stays small and plain over thousands of trials', () => {
  const { state } = simulate({
    hill: { share: 0.1, size: 1 },
    noise: 't3',
    seed: 8,
    runs: 3000,
    window: 16,
    config: CONFIG,
  });
  const text = JSON.stringify(state);
  expect(text.length).toBeLessThan(16_000);
  expect(JSON.parse(text)).toEqual(state);
  expect(text).not.toMatch(/null,null|NaN|Infinity/);
});

test('odd input never makes the gate throw, lose a search trial, or name a number that is not finite', () => {
  const random = createRandom(77);
  for (const followsLead of [true, false]) {
    for (const repeats of [1, 3]) {
      const hand = new Hand({ followsLead, repeats, baselineRuns: 4 });
      const searched = new Set<number>();
      for (let i = 0; i < 700; i += 1) {
        const u = random.uniform();
        const wild = [Number.NaN, Number.POSITIVE_INFINITY, -1e300, 1e60, 0][random.below(5)] ?? 0;
        const wildOrNormal = (): number => (u < 0.13 ? wild : random.normal());
        const value = u < 0.1 ? null : wildOrNormal();
        const kind = TRIAL_KINDS[random.below(TRIAL_KINDS.length)] ?? 'search';
        if (random.uniform() < 0.5 && hand.wants.length > 0) hand.answer(() => value, 1);
        else {
          hand.feed({ kind, value, candidateId: random.uniform() < 0.2 ? `c${random.below(60)}` : `x${i}` });
          if (kind === 'search' || kind === 'injected') searched.add(hand.n);
        }
      }
      for (const n of searched) expect(hand.verdictOf(n), `trial ${n}`).toBeDefined();
      for (const { reason } of hand.rulings) expect(reason).not.toMatch(/NaN|Infinity|unknown|undefined/);
      expect(JSON.stringify(hand.state).length).toBeLessThan(60_000);
    }
  }
});

test('the gate comes to rest: without new search trials its wants end', () => {
  const random = createRandom(3);
  for (const followsLead of [true, false]) {
    const hand = new Hand({ followsLead }).calibrate();
    for (let i = 0; i < 40; i += 1) hand.feed({ value: random.normal() + 0.5 });
    hand.answer(() => (random.uniform() < 0.2 ? null : random.normal()), 3000);
    expect(hand.wants).toHaveLength(0);
    expect(hand.state.asked).toHaveLength(0);
    const open: GateState['races'] = hand.state.races;
    expect(open).toHaveLength(0);
    const confirms = new Map(hand.rulings.map((ruling) => [ruling.n, ruling.verdict]));
    const leadTrial = lead(hand.state).ofTrial;
    for (const [n, verdict] of confirms) if (n !== leadTrial) expect(verdict, `trial ${n}`).not.toBe('confirm');
  }
});
