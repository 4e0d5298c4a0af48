import { expect, test } from 'vitest';
import { simulate } from '../../../bench/verdicts/simulate.ts';
import { advance, baseline, claim, lead, openGate } from '../../../domain/gate/gate.ts';
import type { EndedRun, GateState } from '../../../domain/gate/types.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import { TRIAL_KINDS } from '../../../domain/trial.ts';
import { CONFIG, GateDriver, jitter, parentOf } from './support.ts';

test('the baseline runs are wanted first, and the gate has no values before them', () => {
  const { state, wanted } = openGate(CONFIG, 'base');
  expect(wanted).toHaveLength(10);
  expect(new Set(wanted.map((want) => want.kind))).toEqual(new Set(['baseline']));
  expect(claim(state)).toMatchObject({ candidateId: 'base', mean: null, sd: null, n: 0 });
  expect(parentOf(CONFIG, state)).toBe('base');
});

test('a search result that ends before the baseline is held and ruled on later', () => {
  const driver = new GateDriver();
  driver.feed({ value: -9 });
  expect(driver.verdictOf(1)).toMatchObject({ verdict: 'none' });
  driver.calibrate();
  expect(driver.verdictOf(1)).toMatchObject({ verdict: 'discard' });
});

test('a run that is counted already changes nothing', () => {
  const driver = new GateDriver().calibrate();
  const run: EndedRun = { n: 11, kind: 'search', candidateId: 'x', parentId: 'base', ofTrial: null, seed: 1, value: 2 };
  const once = advance(CONFIG, driver.state, run);
  expect(once.rulings).not.toHaveLength(0);
  const twice = advance(CONFIG, once.state, run);
  expect(twice).toEqual({ state: once.state, rulings: [], wanted: [], claimed: null });
});

test('runs that end out of order are each counted once', () => {
  const driver = new GateDriver({ baselineRuns: 3 });
  for (const n of [3, 1, 2, 1, 3]) driver.feed({ ...driver.wanted[0]!, n, value: n });
  expect(baseline(driver.state)).toMatchObject({ mean: 2, n: 3, sd: 1 });
});

test('a search trial that early abort stopped counts as one that lost at its end', () => {
  const [stopped, ended, cancelled] = [
    new GateDriver().calibrate(),
    new GateDriver().calibrate(),
    new GateDriver().calibrate(),
  ];
  for (let i = 0; i < 80; i += 1) {
    stopped.feed({ value: null, censored: true, stopped: true });
    ended.feed({ value: -9 });
    cancelled.feed({ value: null, censored: true });
  }
  // After 80 trials, the lead is due 16 runs, and it has ten.
  for (const driver of [stopped, ended]) {
    expect(driver.wanted).toEqual([{ kind: 'remeasure', candidateId: 'base', ofTrial: null }]);
    expect(driver.state).toMatchObject({ searched: 80, sinceMove: 80 });
  }
  expect(stopped.state.account).toBe(ended.state.account);
  expect(cancelled.wanted).toEqual([]);
  expect(cancelled.state.searched).toBe(0);
});

test('the state that is passed in stays unchanged', () => {
  const driver = new GateDriver().calibrate();
  const before = JSON.stringify(driver.state);
  advance(CONFIG, driver.state, {
    n: 99,
    kind: 'search',
    candidateId: 'x',
    parentId: 'base',
    ofTrial: null,
    seed: 1,
    value: 3,
  });
  expect(JSON.stringify(driver.state)).toBe(before);
});

test('a plainly better candidate becomes the lead, then wins its race, with its numbers in the reason', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'good', value: 5 });
  expect(driver.verdictOf(11)).toMatchObject({ verdict: 'confirm' });
  driver.answer((want) => (want.candidateId === 'good' ? 5 : 0) + jitter(driver.n));
  expect(driver.verdictOf(11)).toMatchObject({ verdict: 'keep' });
  expect(driver.verdictOf(11)?.reason).toMatch(/race won: \+\d.* p 0\.0\d+ ≤ 0\.0\d+/);
  expect(driver.claims).toHaveLength(1);
  expect(driver.claims[0]).toMatchObject({ candidateId: 'good', previous: 'base', ofTrial: 11 });
  expect(claim(driver.state).candidateId).toBe('good');
  expect(parentOf(driver.config, driver.state)).toBe('good');
  // The claim rests on the runs of the race alone, not on the lucky first run.
  expect(driver.claims[0]?.n).toBeGreaterThanOrEqual(6);
});

test('one lucky run of an equal candidate is not kept', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'lucky', value: 3 });
  driver.answer(() => jitter(driver.n));
  expect(driver.verdictOf(11)?.verdict).not.toBe('keep');
  expect(driver.claims).toHaveLength(0);
  expect(claim(driver.state).candidateId).toBe('base');
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
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'x', value: 2.5 });
  expect(lead(driver.state).candidateId).toBe('x');
  expect(parentOf(driver.config, driver.state)).toBe('base');
});

test('the estimate of the lead is shrunken: it lies between its parent and the measured value', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'x', value: 2.5 });
  const { estimate, error } = lead(driver.state);
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
      const driver = new GateDriver({ followsLead, repeats, baselineRuns: 4 });
      const searched = new Set<number>();
      for (let i = 0; i < 700; i += 1) {
        const u = random.uniform();
        const wild = [Number.NaN, Number.POSITIVE_INFINITY, -1e300, 1e60, 0][random.below(5)] ?? 0;
        const wildOrNormal = (): number => (u < 0.13 ? wild : random.normal());
        const value = u < 0.1 ? null : wildOrNormal();
        const kind = TRIAL_KINDS[random.below(TRIAL_KINDS.length)] ?? 'search';
        if (random.uniform() < 0.5 && driver.wanted.length > 0) driver.answer(() => value, 1);
        else {
          driver.feed({ kind, value, candidateId: random.uniform() < 0.2 ? `c${random.below(60)}` : `x${i}` });
          if (kind === 'search' || kind === 'injected') searched.add(driver.n);
        }
      }
      for (const n of searched) expect(driver.verdictOf(n), `trial ${n}`).toBeDefined();
      for (const { reason } of driver.rulings) expect(reason).not.toMatch(/NaN|Infinity|unknown|undefined/);
      expect(JSON.stringify(driver.state).length).toBeLessThan(60_000);
    }
  }
});

test('without new search trials, the gate soon wants no more runs', () => {
  const random = createRandom(3);
  for (const followsLead of [true, false]) {
    const driver = new GateDriver({ followsLead }).calibrate();
    for (let i = 0; i < 40; i += 1) driver.feed({ value: random.normal() + 0.5 });
    driver.answer(() => (random.uniform() < 0.2 ? null : random.normal()), 3000);
    expect(driver.wanted).toHaveLength(0);
    expect(driver.state.asked).toHaveLength(0);
    const open: GateState['races'] = driver.state.races;
    expect(open).toHaveLength(0);
    const confirms = new Map(driver.rulings.map((ruling) => [ruling.n, ruling.verdict]));
    const leadTrial = lead(driver.state).ofTrial;
    for (const [n, verdict] of confirms) if (n !== leadTrial) expect(verdict, `trial ${n}`).not.toBe('confirm');
  }
});
