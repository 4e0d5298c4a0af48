import { expect, test } from 'vitest';
import { changeRule, claim, parentOf } from '../../../domain/gate/gate.ts';
import type { Advance, GateConfig } from '../../../domain/gate/types.ts';
import { CONFIG, Hand } from './support.ts';

/** Changes the settings of a gate that is fed by hand; `withdrawn` runs are taken out of what it would answer next. */
function change(hand: Hand, to: Partial<GateConfig>): { hand: Hand; changed: Advance } {
  const withdrawn = hand.wants.map(({ candidateId }) => candidateId);
  const after = { ...hand.config, ...to };
  const before = JSON.stringify(hand.state);
  const changed = changeRule(hand.state, { before: hand.config, after, withdrawn });
  expect(JSON.stringify(hand.state)).toBe(before);
  const next = new Hand(after);
  Object.assign(next, { state: changed.state, wants: [...changed.wants], n: hand.n, rulings: [...changed.rulings] });
  if (changed.claimed) next.claims.push(changed.claimed);
  return { hand: next, changed };
}

test('the same settings with nothing withdrawn ask for nothing and rule on nothing', () => {
  const hand = new Hand().calibrate();
  hand.feed({ value: 1.2 });
  const { changed } = change(Object.assign(hand, { wants: [] }), {});
  expect(changed).toEqual({ state: hand.state, rulings: [], wants: [], claimed: null });
});

test('runs that were withdrawn are asked for again where they are still needed', () => {
  const hand = new Hand();
  expect(hand.wants).toHaveLength(10);
  const { changed } = change(hand, { minDelta: 0.1 });
  expect(changed.wants).toHaveLength(10);
  expect(changed.state.asked).toHaveLength(10);
});

test('from lead to best, what is compared and the lead itself are screened, and nothing is left behind', () => {
  const hand = new Hand().calibrate();
  hand.wants = [];
  hand.feed({ candidateId: 'maybe', value: 0.8 });
  hand.feed({ candidateId: 'lead', value: 1.4 });
  expect(hand.state.probes).toMatchObject([{ candidateId: 'maybe' }]);
  expect(hand.state.leadId).toBe('lead');
  const { hand: next, changed } = change(hand, { parent: 'best' });
  expect(changed.state.probes).toEqual([]);
  expect(changed.rulings).toMatchObject([
    { n: 11, verdict: 'discard' },
    { n: 12, verdict: 'confirm' },
  ]);
  expect(changed.state.races).toMatchObject([{ candidateId: 'lead', heat: true }]);
  expect(parentOf(next.config, changed.state)).toBe('base');
  next.answer(({ candidateId }) => (candidateId === 'lead' ? 0.1 : 0) + ((next.n * 7) % 5) / 5 - 0.4, 100);
  expect(next.state.races).toEqual([]);
  expect(next.wants).toEqual([]);
});

test('from best to lead, what waited for a race is compared with the lead', () => {
  const hand = new Hand({ parent: 'best' }).calibrate();
  hand.wants = [];
  for (let i = 0; i < 6; i += 1) hand.feed({ value: 2 + i / 10 });
  expect(hand.state.queue.length).toBeGreaterThan(0);
  const { changed } = change(hand, { parent: 'lead' });
  expect(changed.state.queue).toEqual([]);
  const waited = hand.state.queue.map((id) => Number(id.slice(1)));
  expect(changed.rulings.map(({ n }) => n)).toEqual(expect.arrayContaining(waited));
});

test('from noise-gated to strict, every open comparison is ruled on at once and the best of them is kept', () => {
  const hand = new Hand().calibrate();
  hand.wants = [];
  hand.feed({ candidateId: 'good', value: 0.8 });
  hand.feed({ candidateId: 'better', value: 1.9 });
  const { hand: next, changed } = change(hand, { policy: 'strict', parent: 'best' });
  expect(changed.state).toMatchObject({ probes: [], races: [], queue: [] });
  expect(claim(changed.state).candidateId).toBe('better');
  expect(changed.claimed?.candidateId).toBe('better');
  expect(changed.wants).toEqual([]);
  next.feed({ candidateId: 'last', value: 2 });
  expect(claim(next.state).candidateId).toBe('last');
});

test('from strict to noise-gated, a claim is run as often as a baseline before anything is compared with it', () => {
  const hand = new Hand({ policy: 'strict', parent: 'best', baselineRuns: 1 }).calibrate([0]);
  hand.feed({ candidateId: 'lucky', value: 2 });
  expect(claim(hand.state).candidateId).toBe('lucky');
  const { hand: next, changed } = change(hand, { ...CONFIG, policy: 'noise-gated', parent: 'lead' });
  expect(changed.wants).toHaveLength(10);
  expect(new Set(changed.wants.map(({ candidateId }) => candidateId))).toEqual(new Set(['lucky']));
  next.feed({ candidateId: 'held', value: 1 });
  expect(next.rulings.at(-1)).toMatchObject({ verdict: 'none', reason: expect.stringMatching(/held/) as string });
  next.answer(() => ((next.n * 7) % 5) / 5 - 0.4, 10);
  expect(next.state.calibrating).toBeNull();
  expect(parentOf(next.config, next.state)).not.toBe('base');
  const lucky = next.state.subjects.find(({ candidateId }) => candidateId === 'lucky');
  expect(lucky?.fresh.n).toBeGreaterThanOrEqual(11);
  expect(lucky?.belief.variance).toBeGreaterThan(0);
  expect(next.state.account).toBeLessThanOrEqual(CONFIG.falseKeepsPer200);
});

test('from strict to noise-gated in the middle of the baseline, the baseline grows', () => {
  const hand = new Hand({ policy: 'strict', parent: 'best', baselineRuns: 2 });
  hand.answer(() => 0, 1);
  const { changed } = change(hand, { policy: 'noise-gated', baselineRuns: 10 });
  expect(changed.state.calibrating).toEqual({ candidateId: 'base', need: 10 });
  expect(changed.wants).toHaveLength(9);
});

test('from noise-gated to strict in the middle of the baseline, the runs that there are do', () => {
  const hand = new Hand();
  hand.answer(() => hand.n / 10, 3);
  hand.feed({ candidateId: 'held', value: 5 });
  const { changed } = change(hand, { policy: 'strict', baselineRuns: 1, parent: 'best' });
  expect(changed.state.calibrating).toBeNull();
  expect(claim(changed.state).candidateId).toBe('held');
  expect(changed.wants).toEqual([]);
});

test('more error probability than the new settings allow is not carried over', () => {
  const hand = new Hand().calibrate();
  const { changed } = change(hand, { falseKeepsPer200: 0.001 });
  expect(changed.state.account).toBeLessThanOrEqual(0.001);
});
