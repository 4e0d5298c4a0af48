import { expect, test } from 'vitest';
import { changeRule, claim, override } from '../../../domain/gate/gate.ts';
import type { Advance, GateConfig } from '../../../domain/gate/types.ts';
import { CONFIG, GateDriver, parentOf } from './support.ts';

/** Changes the settings of a gate, and withdraws all wanted runs. */
function change(driver: GateDriver, settings: Partial<GateConfig>): { driver: GateDriver; changed: Advance } {
  const withdrawn = driver.wanted.map(({ candidateId }) => candidateId);
  const after = { ...driver.config, ...settings };
  const before = JSON.stringify(driver.state);
  const changed = changeRule(driver.state, { before: driver.config, after, withdrawn });
  expect(JSON.stringify(driver.state)).toBe(before);
  const next = new GateDriver(after);
  const { state, wanted, rulings } = changed;
  Object.assign(next, { state, wanted: [...wanted], n: driver.n, rulings: [...rulings] });
  if (changed.claimed) next.claims.push(changed.claimed);
  return { driver: next, changed };
}

test('unchanged settings without withdrawn runs give no wanted runs and no rulings', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ value: 1.2 });
  const { changed } = change(Object.assign(driver, { wanted: [] }), {});
  expect(changed).toEqual({ state: driver.state, rulings: [], wanted: [], claimed: null });
});

test('candidates outside the new bounds leave the lead and the comparisons', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'maybe', value: 0.8 });
  driver.feed({ candidateId: 'cheat', value: 99 });
  driver.feed({ candidateId: 'good', value: 1.5 });
  expect([driver.state.leadId, driver.state.rawBest?.candidateId]).toEqual(['cheat', 'cheat']);
  const { config, state } = driver;
  const { state: after, rulings } = changeRule(state, {
    before: config,
    after: config,
    withdrawn: driver.wanted.map(({ candidateId }) => candidateId),
    outside: ['cheat'],
  });
  expect(JSON.stringify({ ...after, rawBest: null })).not.toContain('cheat');
  expect(after.subjects.map(({ candidateId }) => candidateId)).toContain('base');
  expect(rulings).toContainEqual({
    n: 12,
    verdict: 'discard',
    reason: 'its value lies outside the new bounds of the metric',
  });
});

test('withdrawn runs are wanted again if they are still needed', () => {
  const driver = new GateDriver();
  expect(driver.wanted).toHaveLength(10);
  const { changed } = change(driver, { minDelta: 0.1 });
  expect(changed.wanted).toHaveLength(10);
  expect(changed.state.asked).toHaveLength(10);
});

test('from lead to best, the compared candidates and the lead are screened, and no comparison stays open', () => {
  const driver = new GateDriver().calibrate();
  driver.wanted = [];
  driver.feed({ candidateId: 'maybe', value: 0.8 });
  driver.feed({ candidateId: 'lead', value: 1.4 });
  expect(driver.state.probes).toMatchObject([{ candidateId: 'maybe' }]);
  expect(driver.state.leadId).toBe('lead');
  const { driver: next, changed } = change(driver, { followsLead: false });
  expect(changed.state.probes).toEqual([]);
  expect(changed.rulings).toMatchObject([
    { n: 11, verdict: 'discard' },
    { n: 12, verdict: 'confirm' },
  ]);
  expect(changed.state.races).toMatchObject([{ candidateId: 'lead', heat: true }]);
  expect(parentOf(next.config, changed.state)).toBe('base');
  next.answer(({ candidateId }) => (candidateId === 'lead' ? 0.1 : 0) + ((next.n * 7) % 5) / 5 - 0.4, 100);
  expect(next.state.races).toEqual([]);
  expect(next.wanted).toEqual([]);
});

test('from best to lead, the candidates that waited for a race are compared with the lead', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.wanted = [];
  for (let i = 0; i < 6; i += 1) driver.feed({ value: 2 + i / 10 });
  expect(driver.state.queue.length).toBeGreaterThan(0);
  const { changed } = change(driver, { followsLead: true });
  expect(changed.state.queue).toEqual([]);
  const waited = driver.state.queue.map((id) => Number(id.slice(1)));
  expect(changed.rulings.map(({ n }) => n)).toEqual(expect.arrayContaining(waited));
});

test('from noise-gated to strict, open candidates are ruled on at once by all their runs, and the best is kept', () => {
  const driver = new GateDriver().calibrate();
  driver.wanted = [];
  driver.feed({ candidateId: 'good', value: 0.8 });
  driver.feed({ candidateId: 'better', value: 1.9 });
  const { driver: next, changed } = change(driver, { policy: 'strict', followsLead: false });
  expect(changed.state).toMatchObject({ probes: [], races: [], queue: [] });
  expect(changed.claimed?.candidateId).toBe('better');
  expect(changed.wanted).toEqual([]);
  next.feed({ candidateId: 'last', value: 2 });
  expect(claim(next.state).candidateId).toBe('last');
});

test('from noise-gated to strict, one lucky run does not hide the others', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'lucky', value: 1.9 });
  const lead = driver.state.subjects.find(({ candidateId }) => candidateId === 'lucky');
  for (let i = 0; i < 4 && driver.state.leadId === 'lucky'; i += 1)
    driver.feed({ kind: 'confirm', candidateId: 'lucky', parentId: null, ofTrial: 11, value: -0.4 });
  expect(lead).toBeDefined();
  const { changed } = change(driver, { policy: 'strict', followsLead: false });
  expect(claim(changed.state).candidateId).toBe('base');
});

test('from noise-gated to strict, a lead that is the unmodified version makes no claim', () => {
  const baseline = [9.5, 10.5, 10, 9.8, 10.2, 9.9, 10.1, 10.3, 9.7, 10];
  const driver = new GateDriver({ direction: 'minimize' }).calibrate(baseline);
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 12 });
  if ('refused' in kept) throw new Error(kept.refused);
  driver.state = { ...kept.state, leadId: 'base' };
  driver.wanted = [];
  const { driver: next, changed } = change(driver, { policy: 'strict', followsLead: false });
  expect(changed.claimed).toBeNull();
  next.feed({ candidateId: 'y', value: 3 });
  expect(claim(next.state)).toMatchObject({ candidateId: 'y', mean: 3 });
});

/** A strict gate whose incumbent was kept for one lucky run of value 2, changed to noise-gated. */
function withClaimInDoubt(): GateDriver {
  const driver = new GateDriver({ policy: 'strict', followsLead: false, baselineRuns: 1 }).calibrate([0]);
  driver.feed({ candidateId: 'lucky', value: 2 });
  expect(claim(driver.state).candidateId).toBe('lucky');
  return change(driver, { ...CONFIG, policy: 'noise-gated', followsLead: true }).driver;
}
const noisy = (driver: GateDriver, mean: number): number => mean + ((driver.n * 7) % 5) / 5 - 0.4;

test('from strict to noise-gated, a claim is run as often as a baseline before others are compared with it', () => {
  const driver = withClaimInDoubt();
  expect(driver.wanted).toHaveLength(10);
  expect(new Set(driver.wanted.map(({ candidateId }) => candidateId))).toEqual(new Set(['lucky']));
  expect(claim(driver.state)).toMatchObject({ mean: 2, n: 2 });
  driver.feed({ candidateId: 'held', value: 1 });
  expect(driver.rulings.at(-1)).toMatchObject({ verdict: 'none', reason: expect.stringMatching(/held/) as string });
  driver.answer(() => noisy(driver, 1.5), 10);
  expect(driver.state.calibrating).toBeNull();
  const lucky = driver.state.subjects.find(({ candidateId }) => candidateId === 'lucky');
  expect(lucky?.fresh).toMatchObject({ n: 10, mean: expect.closeTo(1.5, 5) as number });
  expect(lucky?.belief.variance).toBeGreaterThan(0);
  expect(driver.state.account).toBeLessThanOrEqual(CONFIG.falseKeepsPer200);
});

test('a claim by luck alone goes back to the unmodified version once it is measured', () => {
  const driver = withClaimInDoubt();
  const valueOf = ({ candidateId }: { candidateId: string }): number => noisy(driver, candidateId === 'base' ? 0 : -4);
  for (let i = 0; i < 40; i += 1) {
    driver.answer(valueOf, 20);
    driver.feed({ value: -9 });
  }
  expect(claim(driver.state).candidateId).toBe('base');
});

test('a claim in doubt that a person takes back is not measured any more, and no trial waits for it', () => {
  const driver = withClaimInDoubt();
  const back = override(driver.config, driver.state, { verdict: 'discard', n: 2, candidateId: 'lucky', value: 2 });
  if ('refused' in back) throw new Error(back.refused);
  expect(new Set(back.state.asked.map(({ candidateId }) => candidateId))).toEqual(new Set(['base']));
  // The wanted runs of the claim are withdrawn with it.
  Object.assign(driver, { state: back.state, wanted: [...back.wanted] });
  driver.answer(() => noisy(driver, 0), 60);
  expect(driver.state.calibrating).toBeNull();
  expect(driver.wanted).toEqual([]);
  expect(claim(driver.state).candidateId).toBe('base');
});

test('a claim in doubt that a person kept stands, though it cannot be run again', () => {
  const driver = withClaimInDoubt();
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 2, candidateId: 'lucky', value: 2 });
  if ('refused' in kept) throw new Error(kept.refused);
  Object.assign(driver, { state: kept.state, wanted: [...driver.wanted, ...kept.wanted] });
  driver.answer(({ candidateId }) => (candidateId === 'lucky' ? null : noisy(driver, 0)), 100);
  expect(claim(driver.state)).toMatchObject({ candidateId: 'lucky', mean: 2 });
  expect(driver.state.calibrating).toBeNull();
  expect(driver.state.asked).toEqual([]);
});

test('a claim in doubt that cannot be run again gives way to the unmodified version, not to the next candidate', () => {
  const driver = withClaimInDoubt();
  driver.feed({ candidateId: 'bad', value: -50 });
  driver.answer(({ candidateId }) => (candidateId === 'lucky' ? null : noisy(driver, 0)), 100);
  expect(claim(driver.state).candidateId).toBe('base');
  expect(driver.state.calibrating).toBeNull();
  expect(driver.rulings.findLast(({ n }) => n === 2)?.reason).toMatch(/^given up/);
  expect(driver.rulings.findLast(({ reason }) => reason.startsWith('expected gain'))?.verdict).toBe('discard');
});

test('agreement of fewer runs than a baseline has does not prove that there is no noise', () => {
  const driver = new GateDriver({ policy: 'strict', followsLead: false, baselineRuns: 2 }).calibrate([1, 1]);
  const { changed } = change(driver, { ...CONFIG });
  expect(changed.state.calibrating).toEqual({ candidateId: 'base', need: 10 });
  expect(changed.wanted).toHaveLength(8);
});

test('a change and its reversal add nothing to the account of errors and need no further runs', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.state.account = 0.0001;
  driver.wanted = [];
  const strict = change(driver, { policy: 'strict' }).driver;
  const again = change(strict, { policy: 'noise-gated' });
  expect(again.changed.state.account).toBeLessThanOrEqual(0.0001);
  expect(again.changed.wanted).toEqual([]);
  const doubt = withClaimInDoubt();
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
  expect(back.changed.wanted).toEqual([]);
});

test('from strict to noise-gated in the middle of the baseline, the baseline grows', () => {
  const driver = new GateDriver({ policy: 'strict', followsLead: false, baselineRuns: 2 });
  driver.answer(() => 0, 1);
  const { changed } = change(driver, { policy: 'noise-gated', baselineRuns: 10 });
  expect(changed.state.calibrating).toEqual({ candidateId: 'base', need: 10 });
  expect(changed.wanted).toHaveLength(9);
});

test('from noise-gated to strict in the middle of the baseline, the runs so far are enough', () => {
  const driver = new GateDriver();
  driver.answer(() => driver.n / 10, 3);
  driver.feed({ candidateId: 'held', value: 5 });
  const { changed } = change(driver, { policy: 'strict', baselineRuns: 1, followsLead: false });
  expect(changed.state.calibrating).toBeNull();
  expect(claim(changed.state).candidateId).toBe('held');
  expect(changed.wanted).toEqual([]);
});

test('more error probability than the new settings allow is not carried over', () => {
  const driver = new GateDriver().calibrate();
  const { changed } = change(driver, { falseKeepsPer200: 0.001 });
  expect(changed.state.account).toBeLessThanOrEqual(0.001);
});
