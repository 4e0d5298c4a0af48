import { expect, test } from 'vitest';
import { claim, reportGain, noiseWarnings } from '../../../../domain/gate/gate.ts';
import { GateDriver, parentOf, CONFIG } from '../support.ts';
import { runsToCalibrate } from '../../../../domain/gate/claim/calibrate.ts';
import { KEEP_POLICIES, KEEPS } from '../../../../domain/search/keep.ts';

test('strict keeps a candidate that is better by more than minDelta, at once', () => {
  const driver = new GateDriver({ policy: 'strict', baselineRuns: 1, minDelta: 0.5, direction: 'minimize' });
  driver.calibrate([10]);
  driver.feed({ candidateId: 'a', value: 9.6 });
  driver.feed({ candidateId: 'b', value: 9.4 });
  driver.feed({ candidateId: 'c', value: 9.2 });
  expect([2, 3, 4].map((n) => driver.verdictOf(n)?.verdict)).toEqual(['discard', 'keep', 'discard']);
  expect(driver.verdictOf(3)?.reason).toBe('better: 9.4 against 10, gain +0.6; keep.policy: strict claims on one run');
  expect(driver.wanted).toHaveLength(0);
  expect(parentOf(driver.config, driver.state)).toBe('b');
});

test('a search trial without a value is discarded without further runs', () => {
  const driver = new GateDriver({ policy: 'strict', baselineRuns: 1 }).calibrate([1]);
  driver.feed({ value: null });
  expect(driver.verdictOf(2)).toMatchObject({ verdict: 'discard', reason: 'ended without a value' });
});

test('with repeats the mean of the seeds is judged', () => {
  const driver = new GateDriver({ policy: 'strict', baselineRuns: 1, repeats: 3 }).calibrate([1]);
  driver.feed({ candidateId: 'x', value: 9 });
  expect(driver.verdictOf(2)).toMatchObject({ verdict: 'confirm' });
  expect(driver.wanted.map((want) => [want.kind, want.candidateId, want.ofTrial])).toEqual([
    ['confirm', 'x', 2],
    ['confirm', 'x', 2],
  ]);
  driver.answer(() => -4);
  // (9 − 4 − 4) / 3 = 0.333 < 1
  expect(driver.verdictOf(2)).toMatchObject({ verdict: 'discard' });
  expect(driver.verdictOf(2)?.reason).toContain('0.3333 against 1');
});

test('noise that shows later makes the gate measure the incumbent first', () => {
  const driver = new GateDriver().calibrate(Array.from({ length: 10 }, () => 1));
  driver.feed({ kind: 'remeasure', candidateId: 'base', value: 1.5 });
  driver.feed({ candidateId: 'x', value: 1.6 });
  expect(driver.claims).toHaveLength(0);
  expect(driver.verdictOf(driver.n)?.verdict).not.toBe('keep');
  expect(noiseWarnings(driver.config, driver.state).join()).not.toContain('identical values');
});

test('if the unmodified version never runs, the first candidate that runs is the incumbent and is measured', () => {
  for (const policy of ['strict', 'noise-gated'] as const) {
    const driver = new GateDriver({ policy, baselineRuns: policy === 'strict' ? 1 : 4 });
    driver.answer(() => null, 100);
    expect(driver.wanted).toHaveLength(0);
    expect(noiseWarnings(driver.config, driver.state)[0]).toContain('no usable baseline');
    driver.feed({ candidateId: 'first', value: 3 });
    expect(driver.verdictOf(driver.n)).toMatchObject({ verdict: 'keep' });
    driver.answer(() => 3 + Math.sin(driver.n));
    expect(claim(driver.state)).toMatchObject({ candidateId: 'first', n: policy === 'strict' ? 1 : 4 });
    expect(reportGain(driver.config, driver.state)).toEqual({ raw: null, claim: null });
  }
});

test('a strict incumbent that re-measures below its predecessor gives way', () => {
  const driver = new GateDriver({ policy: 'strict', baselineRuns: 1 }).calibrate([1]);
  driver.feed({ candidateId: 'x', value: 2 });
  driver.feed({ kind: 'remeasure', candidateId: 'x', ofTrial: 2, value: -3 });
  expect(claim(driver.state).candidateId).toBe('base');
  expect(driver.verdictOf(2)).toMatchObject({ verdict: 'discard' });
});

test.each(KEEP_POLICIES)(
  '%s runs the unmodified version baselineRuns times, and at least as often as its table states',
  (policy) => {
    const runs = (baselineRuns: number) => runsToCalibrate({ ...CONFIG, policy, baselineRuns });
    expect(runs(50)).toBe(50);
    expect(runs(1)).toBe(KEEPS[policy].leastAsked);
  },
);

test('an estimate of the noise takes at least three runs', () => {
  expect([KEEPS.strict.leastAsked, KEEPS['noise-gated'].leastAsked]).toEqual([1, 3]);
});
