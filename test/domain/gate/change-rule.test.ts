import { expect, test } from 'vitest';
import { changeRule, claim, override } from '../../../domain/gate/gate.ts';
import type { Advance, GateConfig } from '../../../domain/gate/types.ts';
import { CONFIG, Hand, parentOf } from './support.ts';

/** Changes the settings of a gate that is fed by hand. All runs that the gate wants are withdrawn. */
function change(hand: Hand, settings: Partial<GateConfig>): { hand: Hand; changed: Advance } {
  const withdrawn = hand.wants.map(({ candidateId }) => candidateId);
  const after = { ...hand.config, ...settings };
  const before = JSON.stringify(hand.state);
  const changed = changeRule(hand.state, { before: hand.config, after, withdrawn });
  expect(JSON.stringify(hand.state)).toBe(before);
  const next = new Hand(after);
  Object.assign(next, { state: changed.state, wants: [...changed.wants], n: hand.n, rulings: [...changed.rulings] });
  if (changed.claimed) next.claims.push(changed.claimed);
  return { hand: next, changed };
}

test('unchanged settings without withdrawn runs give no wants and no rulings', () => {
  const hand = new Hand().calibrate();
  hand.feed({ value: 1.2 });
  const { changed } = change(Object.assign(hand, { wants: [] }), {});
  expect(changed).toEqual({ state: hand.state, rulings: [], wants: [], claimed: null });
});

test('withdrawn runs are wanted again if they are still needed', () => {
  const hand = new Hand();
  expect(hand.wants).toHaveLength(10);
  const { changed } = change(hand, { minDelta: 0.1 });
  expect(changed.wants).toHaveLength(10);
  expect(changed.state.asked).toHaveLength(10);
});

test('from lead to best, the compared candidates and the lead are screened, and no comparison stays open', () => {
  const hand = new Hand().calibrate();
  hand.wants = [];
  hand.feed({ candidateId: 'maybe', value: 0.8 });
  hand.feed({ candidateId: 'lead', value: 1.4 });
  expect(hand.state.probes).toMatchObject([{ candidateId: 'maybe' }]);
  expect(hand.state.leadId).toBe('lead');
  const { hand: next, changed } = change(hand, { followsLead: false });
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

test('from best to lead, the candidates that waited for a race are compared with the lead', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.wants = [];
  for (let i = 0; i < 6; i += 1) hand.feed({ value: 2 + i / 10 });
  expect(hand.state.queue.length).toBeGreaterThan(0);
  const { changed } = change(hand, { followsLead: true });
  expect(changed.state.queue).toEqual([]);
  const waited = hand.state.queue.map((id) => Number(id.slice(1)));
  expect(changed.rulings.map(({ n }) => n)).toEqual(expect.arrayContaining(waited));
});

test('from noise-gated to strict, open candidates are ruled on at once by all their runs, and the best is kept', () => {
  const hand = new Hand().calibrate();
  hand.wants = [];
  hand.feed({ candidateId: 'good', value: 0.8 });
  hand.feed({ candidateId: 'better', value: 1.9 });
  const { hand: next, changed } = change(hand, { policy: 'strict', followsLead: false });
  expect(changed.state).toMatchObject({ probes: [], races: [], queue: [] });
  expect(changed.claimed?.candidateId).toBe('better');
  expect(changed.wants).toEqual([]);
  next.feed({ candidateId: 'last', value: 2 });
  expect(claim(next.state).candidateId).toBe('last');
});

test('from noise-gated to strict, one lucky run does not hide the others', () => {
  const hand = new Hand().calibrate();
  hand.feed({ candidateId: 'lucky', value: 1.9 });
  const lead = hand.state.subjects.find(({ candidateId }) => candidateId === 'lucky');
  for (let i = 0; i < 4 && hand.state.leadId === 'lucky'; i += 1)
    hand.feed({ kind: 'confirm', candidateId: 'lucky', parentId: null, ofTrial: 11, value: -0.4 });
  expect(lead).toBeDefined();
  const { changed } = change(hand, { policy: 'strict', followsLead: false });
  expect(claim(changed.state).candidateId).toBe('base');
});

test('from noise-gated to strict, a lead that is the unmodified version makes no claim', () => {
  const hand = new Hand({ direction: 'minimize' }).calibrate([9.5, 10.5, 10, 9.8, 10.2, 9.9, 10.1, 10.3, 9.7, 10]);
  const kept = override(hand.config, hand.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 12 });
  if ('refused' in kept) throw new Error(kept.refused);
  hand.state = { ...kept.state, leadId: 'base' };
  hand.wants = [];
  const { hand: next, changed } = change(hand, { policy: 'strict', followsLead: false });
  expect(changed.claimed).toBeNull();
  next.feed({ candidateId: 'y', value: 3 });
  expect(claim(next.state)).toMatchObject({ candidateId: 'y', mean: 3 });
});

/** A strict gate whose incumbent was kept for one lucky run of value 2, changed to noise-gated. */
function doubted(): Hand {
  const hand = new Hand({ policy: 'strict', followsLead: false, baselineRuns: 1 }).calibrate([0]);
  hand.feed({ candidateId: 'lucky', value: 2 });
  expect(claim(hand.state).candidateId).toBe('lucky');
  return change(hand, { ...CONFIG, policy: 'noise-gated', followsLead: true }).hand;
}
const noisy = (hand: Hand, mean: number): number => mean + ((hand.n * 7) % 5) / 5 - 0.4;

test('from strict to noise-gated, a claim is run as often as a baseline before others are compared with it', () => {
  const hand = doubted();
  expect(hand.wants).toHaveLength(10);
  expect(new Set(hand.wants.map(({ candidateId }) => candidateId))).toEqual(new Set(['lucky']));
  expect(claim(hand.state)).toMatchObject({ mean: 2, n: 1 });
  hand.feed({ candidateId: 'held', value: 1 });
  expect(hand.rulings.at(-1)).toMatchObject({ verdict: 'none', reason: expect.stringMatching(/held/) as string });
  hand.answer(() => noisy(hand, 1.5), 10);
  expect(hand.state.calibrating).toBeNull();
  const lucky = hand.state.subjects.find(({ candidateId }) => candidateId === 'lucky');
  expect(lucky?.fresh).toMatchObject({ n: 10, mean: expect.closeTo(1.5, 5) as number });
  expect(lucky?.belief.variance).toBeGreaterThan(0);
  expect(hand.state.account).toBeLessThanOrEqual(CONFIG.falseKeepsPer200);
});

test('a claim by luck alone goes back to the unmodified version once it is measured', () => {
  const hand = doubted();
  const valueOf = ({ candidateId }: { candidateId: string }): number => noisy(hand, candidateId === 'base' ? 0 : -4);
  for (let i = 0; i < 40; i += 1) {
    hand.answer(valueOf, 20);
    hand.feed({ value: -9 });
  }
  expect(claim(hand.state).candidateId).toBe('base');
});

test('a claim in doubt that a person takes back is not measured any more, and no trial waits for it', () => {
  const hand = doubted();
  const back = override(hand.config, hand.state, { verdict: 'discard', n: 2, candidateId: 'lucky', value: 2 });
  if ('refused' in back) throw new Error(back.refused);
  expect(new Set(back.state.asked.map(({ candidateId }) => candidateId))).toEqual(new Set(['base']));
  // The wanted runs of the claim are withdrawn with it.
  Object.assign(hand, { state: back.state, wants: [...back.wants] });
  hand.answer(() => noisy(hand, 0), 60);
  expect(hand.state.calibrating).toBeNull();
  expect(hand.wants).toEqual([]);
  expect(claim(hand.state).candidateId).toBe('base');
});

test('a claim in doubt that a person kept stands, though it cannot be run again', () => {
  const hand = doubted();
  const kept = override(hand.config, hand.state, { verdict: 'keep', n: 2, candidateId: 'lucky', value: 2 });
  if ('refused' in kept) throw new Error(kept.refused);
  Object.assign(hand, { state: kept.state, wants: [...hand.wants, ...kept.wants] });
  hand.answer(({ candidateId }) => (candidateId === 'lucky' ? null : noisy(hand, 0)), 100);
  expect(claim(hand.state)).toMatchObject({ candidateId: 'lucky', mean: 2 });
  expect(hand.state.calibrating).toBeNull();
  expect(hand.state.asked).toEqual([]);
});

test('a claim in doubt that cannot be run again gives way to the unmodified version, not to the next candidate', () => {
  const hand = doubted();
  hand.feed({ candidateId: 'bad', value: -50 });
  hand.answer(({ candidateId }) => (candidateId === 'lucky' ? null : noisy(hand, 0)), 100);
  expect(claim(hand.state).candidateId).toBe('base');
  expect(hand.state.calibrating).toBeNull();
  expect(hand.rulings.findLast(({ n }) => n === 2)?.reason).toMatch(/^given up/);
  expect(hand.rulings.findLast(({ reason }) => reason.startsWith('expected gain'))?.verdict).toBe('discard');
});

test('agreement of fewer runs than a baseline has does not prove that there is no noise', () => {
  const hand = new Hand({ policy: 'strict', followsLead: false, baselineRuns: 2 }).calibrate([1, 1]);
  const { changed } = change(hand, { ...CONFIG });
  expect(changed.state.calibrating).toEqual({ candidateId: 'base', need: 10 });
  expect(changed.wants).toHaveLength(8);
});

test('a change and its reversal add nothing to the account of errors and need no further runs', () => {
  const hand = new Hand({ followsLead: false }).calibrate();
  hand.state.account = 0.0001;
  hand.wants = [];
  const strict = change(hand, { policy: 'strict' }).hand;
  const again = change(strict, { policy: 'noise-gated' });
  expect(again.changed.state.account).toBeLessThanOrEqual(0.0001);
  expect(again.changed.wants).toEqual([]);
  const doubt = doubted();
  doubt.feed({ candidateId: 'better', value: 9 });
  doubt.feed({ candidateId: 'worse', value: 1 });
  const back = change(doubt, { policy: 'strict', followsLead: false });
  expect(back.changed.state.calibrating).toBeNull();
  // The trials that were held meanwhile are ruled on against the old claim.
  expect(claim(back.changed.state)).toMatchObject({ candidateId: 'better', mean: 9 });
  expect(back.changed.state.held).toEqual([]);
  expect(back.changed.rulings).toMatchObject([
    { n: 3, verdict: 'keep' },
    { n: 4, verdict: 'discard' },
  ]);
  expect(back.changed.wants).toEqual([]);
});

test('from strict to noise-gated in the middle of the baseline, the baseline grows', () => {
  const hand = new Hand({ policy: 'strict', followsLead: false, baselineRuns: 2 });
  hand.answer(() => 0, 1);
  const { changed } = change(hand, { policy: 'noise-gated', baselineRuns: 10 });
  expect(changed.state.calibrating).toEqual({ candidateId: 'base', need: 10 });
  expect(changed.wants).toHaveLength(9);
});

test('from noise-gated to strict in the middle of the baseline, the runs so far are enough', () => {
  const hand = new Hand();
  hand.answer(() => hand.n / 10, 3);
  hand.feed({ candidateId: 'held', value: 5 });
  const { changed } = change(hand, { policy: 'strict', baselineRuns: 1, followsLead: false });
  expect(changed.state.calibrating).toBeNull();
  expect(claim(changed.state).candidateId).toBe('held');
  expect(changed.wants).toEqual([]);
});

test('more error probability than the new settings allow is not carried over', () => {
  const hand = new Hand().calibrate();
  const { changed } = change(hand, { falseKeepsPer200: 0.001 });
  expect(changed.state.account).toBeLessThanOrEqual(0.001);
});
