import { expect, test } from 'vitest';
import { changeRule, claimBasis, override } from '../../../../domain/gate/gate.ts';
import { BASELINE, GateDriver, jitter } from '../support.ts';

const basisOf = ({ config, state }: GateDriver) => claimBasis(config, state);

/** A gate that has claimed `good`; the first `failures` of its requested runs failed. */
function withClaim(noise: 'noisy' | 'exact', failures = 0): GateDriver {
  const driver = new GateDriver().calibrate(noise === 'noisy' ? BASELINE : BASELINE.map(() => 0));
  driver.feed({ candidateId: 'good', value: 9 });
  let failed = 0;
  driver.answer(({ candidateId }) => {
    if (candidateId === 'good' && failed < failures) {
      failed += 1;
      return null;
    }
    return (candidateId === 'good' ? 9 : 0) + (noise === 'noisy' ? jitter(driver.n) : 0);
  });
  expect(driver.claims).toHaveLength(1);
  return driver;
}

test('a strict claim says that it is made on one run, or on the mean of the repeats', () => {
  const strict = new GateDriver({ policy: 'strict', baselineRuns: 1 }).calibrate([1]);
  expect(basisOf(strict)).toEqual({ failed: 0, basis: null });
  strict.feed({ candidateId: 'good', value: 2 });
  expect(basisOf(strict)).toEqual({ failed: 0, basis: 'keep.policy: strict claims on one run' });
  const basis = 'keep.policy: strict claims on the mean of 3 runs';
  expect(claimBasis({ policy: 'strict', repeats: 3 }, strict.state)).toMatchObject({ basis });
});

test('a claim without visible noise says how many runs of its candidate agree', () => {
  expect(basisOf(withClaim('exact'))).toEqual({
    failed: 0,
    basis: '3 runs of it agree: with 95 % confidence fewer than 64 % of its runs differ',
  });
});

test('a claim of the strict rule says that it is made on one run, until it has run three times', () => {
  const driver = new GateDriver({ policy: 'strict' }).calibrate(BASELINE.map(() => 0));
  driver.feed({ candidateId: 'good', value: 9 });
  const after = { ...driver.config, policy: 'noise-gated' as const };
  const { state, wanted } = changeRule(driver.state, { before: driver.config, after, withdrawn: [] });
  expect(claimBasis(after, state).basis).toBe('claimed on one run');
  expect(wanted.map(({ candidateId }) => candidateId)).toEqual(['good', 'good']);
  const changed = new GateDriver();
  Object.assign(changed, { state, wanted, n: driver.n });
  changed.answer(() => 9);
  expect(basisOf(changed).basis).toMatch(/^3 runs of it agree/);
});

test('a claim on runs that agreed says so, too, if another candidate has shown noise since then', () => {
  const driver = withClaim('exact');
  driver.feed({ kind: 'remeasure', candidateId: 'base', parentId: null, value: 1 });
  expect(driver.state.incumbentId).toBe('good');
  expect(basisOf(driver).basis).toMatch(/^3 runs of it agree/);
});

test('a claim that a race decided says how many runs failed, if any did', () => {
  expect(basisOf(withClaim('noisy'))).toEqual({ failed: 0, basis: null });
  const failing = withClaim('noisy', 2);
  expect(basisOf(failing)).toEqual({ failed: 2, basis: '2 of its 13 re-runs failed' });
  expect(failing.verdictOf(11)?.reason).toMatch(/won 7 runs, 2 more failed$/);
});

test('a claim by a person has no basis of the rule', () => {
  const driver = new GateDriver({ policy: 'strict', baselineRuns: 1 }).calibrate([1]);
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 2, candidateId: 'x', value: 0.5 });
  if ('refused' in kept) throw new Error(kept.refused);
  expect(claimBasis(driver.config, kept.state)).toEqual({ failed: 0, basis: null });
});
