import { expect, test } from 'vitest';
import { override } from '../../../../domain/gate/gate.ts';
import { GateDriver, jitter } from '../support.ts';

/** A gate with a short baseline, in which a person made trial 4 with `value` the incumbent. */
function chosenByPerson(value: number): GateDriver {
  const driver = new GateDriver({ baselineRuns: 3 }).calibrate([-0.9, 1.1, 0.1]);
  driver.feed({ candidateId: 'person', value });
  driver.answer(() => -3 + jitter(driver.n));
  const kept = override(driver.config, driver.state, { verdict: 'keep', n: 4, candidateId: 'person', value });
  if ('refused' in kept) throw new Error(kept.refused);
  driver.state = kept.state;
  return driver;
}

/** Runs 20 searches. All wanted runs of `failing` give no value. Returns their number. */
function searchOn(driver: GateDriver, failing: string): number {
  let failed = 0;
  for (let i = 0; i < 20; i += 1) {
    driver.feed({ value: 0.3 + jitter(i), parentId: driver.state.leadId });
    for (let runs = 0; driver.wanted.length > 0 && runs < 60; runs += 1) {
      if (driver.wanted[0]!.candidateId === failing) failed += 1;
      driver.answer(({ candidateId }) => (candidateId === failing ? null : 0.15 + jitter(driver.n)), 1);
    }
    expect(driver.wanted).toEqual([]);
  }
  return failed;
}

test("a person's choice whose runs all fail does not stop the search", () => {
  const driver = chosenByPerson(0.5);
  expect(searchOn(driver, 'person')).toBe(4);
  expect(driver.state.probes).toEqual([]);
});

test('nor does a predecessor whose runs all fail', () => {
  const driver = chosenByPerson(-2);
  // A claim whose runs are now worse than those of its predecessor.
  driver.state.crownedId = null;
  driver.state.subjects.find(({ candidateId }) => candidateId === 'base')!.belief.variance = 1;
  expect(searchOn(driver, 'base')).toBe(4);
  expect(driver.state.leadId).not.toBe('base');
});

test('an unmodified version of which some runs fail is still compared after its baseline', () => {
  const driver = new GateDriver();
  let runs = 0;
  driver.answer(() => ((runs += 1) % 3 === 0 ? null : jitter(runs)));
  const [base] = driver.state.subjects;
  expect([driver.state.calibrating, base!.failed, base!.failures]).toEqual([null, 4, 0]);
  // A lead whose latest runs all failed would get no further ones.
  for (let i = 0; i < 60; i += 1) driver.feed({ value: -9 });
  expect(driver.wanted).toMatchObject([{ candidateId: 'base' }]);
});
