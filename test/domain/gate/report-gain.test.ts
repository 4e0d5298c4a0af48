import { expect, test } from 'vitest';
import { measure } from '../../../bench/verdicts/measure.ts';
import { baseline, claim, override, reportGain, noiseWarnings } from '../../../domain/gate/gate.ts';
import type { GateConfig } from '../../../domain/gate/types.ts';
import { BASELINE, GateDriver, jitter, parentOf } from './support.ts';

test('the report of the gain has the raw best and the claim, which is smaller', () => {
  const driver = new GateDriver({ direction: 'minimize' }).calibrate();
  driver.feed({ candidateId: 'good', value: -7 });
  driver.answer((want) => (want.candidateId === 'good' ? -5 : 0) + jitter(driver.n));
  const { raw, claim: claimed } = reportGain(driver.config, driver.state);
  expect(raw).toMatchObject({ n: 11, value: -7 });
  // The mean of the baseline is near 0.
  expect(raw?.gain).toBeCloseTo(7, 0);
  expect(claimed?.candidateId).toBe('good');
  expect(claimed?.gain).toBeGreaterThan(3.5);
  expect(claimed?.gain).toBeLessThan(6);
  expect(claimed?.low).toBeLessThan(claimed?.gain ?? 0);
  expect(claimed?.low).toBeGreaterThan(0);
  expect(claimed?.high).toBeGreaterThan(claimed?.gain ?? 0);
});

/** A gate that claimed the candidate `good`, whose runs after the claim are worse by `fall` than those of its race. */
function claimedWith(config: Partial<GateConfig>, { noise, fall = 0 }: { noise: number; fall?: number }): GateDriver {
  const driver = new GateDriver({ direction: 'minimize', ...config });
  driver.calibrate(BASELINE.map((value) => noise * value));
  driver.feed({ candidateId: 'good', value: -5 });
  driver.answer((want) => {
    const level = driver.claims.length > 0 ? -5 + fall : -5;
    return (want.candidateId === 'good' ? level : 0) + noise * jitter(driver.n);
  });
  expect(claim(driver.state).candidateId).toBe('good');
  return driver;
}

test.each([
  ['noise-gated', 1, 'after'],
  ['strict', 1, 'measured'],
  ['noise-gated', 0, 'measured'],
] as const)('the report names the runs behind the gain of a %s keep with noise %d: %s', (policy, noise, source) => {
  const driver = claimedWith({ policy }, { noise });
  expect(reportGain(driver.config, driver.state).claim?.source).toBe(source);
});

test('a gain is called corrected only if the runs after the claim made it smaller', () => {
  for (const [fall, corrected] of [
    [2, true],
    [-2, false],
  ] as const) {
    const driver = claimedWith({}, { noise: 1, fall });
    const gain = reportGain(driver.config, driver.state).claim!;
    expect(gain.corrected).toBe(corrected);
    expect(gain.gain < driver.state.baseline.series.mean + driver.claims[0]!.value * -1).toBe(corrected);
  }
});

test.each(['minimize', 'maximize'] as const)(
  'with %s the gain is the difference of the two values that a page shows',
  (direction) => {
    const sign = direction === 'minimize' ? -1 : 1;
    const driver = new GateDriver({ direction }).calibrate();
    driver.feed({ candidateId: 'good', value: sign * 7 });
    driver.answer((want) => sign * (want.candidateId === 'good' ? 7 : 0) + jitter(driver.n));
    const [best, first] = [claim(driver.state), baseline(driver.state)];
    const gain = reportGain(driver.config, driver.state).claim!;
    expect(gain.gain).toBeCloseTo(sign * ((best.mean ?? 0) - (first.mean ?? 0)), 10);
    expect(gain.value).toBe(best.mean);
    expect([gain.runs, best.n]).toEqual([4, 4]);
    // The interval of a difference is wider than that of each part, and symmetric.
    expect(gain.high - gain.low).toBeGreaterThan((best.high ?? 0) - (best.low ?? 0));
    expect((gain.high + gain.low) / 2).toBeCloseTo(gain.gain, 10);
  },
);

test("the gain of a person's choice is reported as theirs, never as corrected", () => {
  const driver = new GateDriver({ policy: 'strict' }).calibrate();
  driver.feed({ candidateId: 'x', value: -1 });
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: driver.n, candidateId: 'x', value: -1 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(reportGain({ ...driver.config, policy: 'noise-gated' }, kept.state).claim).toMatchObject({
    source: 'person',
    corrected: false,
  });
});

test('the gain is 0 before any claim', () => {
  const driver = new GateDriver().calibrate();
  const gain = reportGain(driver.config, driver.state).claim;
  expect(gain).toMatchObject({ candidateId: 'base', gain: 0, low: 0, high: 0 });
});

test('the interval covers the true gain in most simulated researches', () => {
  const scene = { hill: { share: 0.05, size: 2 }, noise: 'normal' as const, seed: 500, runs: 150 };
  expect(measure(scene, 'lead', 16).covered).toBeGreaterThan(0.8);
});

const warningsOf = ({ config, state }: GateDriver): string[] => noiseWarnings(config, state);

test('skewed and heavy-tailed baselines give warnings, normal ones do not', () => {
  expect(warningsOf(new GateDriver().calibrate(BASELINE))).toEqual([]);
  const skewed = [0.1, 0.2, 0.15, 0.3, 0.05, 0.4, 0.25, 0.35, 3.5, 0.12];
  expect(warningsOf(new GateDriver().calibrate(skewed)).join()).toMatch(/skewed.*heavy tails/);
  for (const direction of ['minimize', 'maximize'] as const)
    expect(warningsOf(new GateDriver({ direction }).calibrate(skewed))[0]).toMatch(
      /skewed to the right \(skewness [\d.]+ in 10 runs\)/,
    );
  const heavy = [0.1, -0.2, 0.15, -0.1, 5, 0.05, -0.05, 0.1, -5, -0.1];
  expect(warningsOf(new GateDriver().calibrate(heavy)).join()).toMatch(/heavy tails/);
  const rising = Array.from({ length: 20 }, (_, i) => i);
  const risingRuns = new GateDriver({ baselineRuns: 20 }).calibrate(rising);
  expect(warningsOf(risingRuns).join()).toMatch(/neighbouring runs/);
  // The mean of these values differs from them by rounding.
  const equal = new GateDriver().calibrate(Array.from({ length: 10 }, () => 0.83));
  expect(warningsOf(equal).join()).not.toMatch(/neighbouring runs/);
});

test('a person can make a candidate the incumbent, and take that back', () => {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'x', value: 1 });
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 1 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(claim(kept.state).candidateId).toBe('x');
  expect(parentOf(driver.config, kept.state)).toBe('x');
  expect(kept.claimed).toMatchObject({ candidateId: 'x', previous: 'base', value: 1, ofTrial: 11 });
  const back = override(driver.config, kept.state, { verdict: 'discard', n: 11, candidateId: 'x', value: 1 });
  if ('refused' in back) throw new Error(back.refused);
  expect(claim(back.state).candidateId).toBe('base');
  expect(back.claimed).toMatchObject({ candidateId: 'base', previous: 'x' });
  const refused = override(driver.config, back.state, { verdict: 'discard', n: 1, candidateId: 'base', value: 0 });
  expect(refused).toHaveProperty('refused');
  const again = override(driver.config, kept.state, { verdict: 'keep', n: 11, candidateId: 'x', value: 1 });
  expect(again).toEqual({ state: kept.state, rulings: [], wanted: [], claimed: null });
});
