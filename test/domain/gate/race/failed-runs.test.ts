import { describe, expect, test } from 'vitest';
import { claim, claimBasis } from '../../../../domain/gate/gate.ts';
import { withFailedRuns } from '../../../../domain/gate/race/failed-runs.ts';
import type { Race, WantedRun } from '../../../../domain/gate/types.ts';
import { BASELINE, GateDriver, jitter } from '../support.ts';

const OPEN: Race = {
  candidateId: 'good',
  ofTrial: 11,
  heat: false,
  values: [5, 4],
  controls: [0, 1],
  look: 0,
  level: 0.01,
  failures: 3,
  failed: { candidate: 2, incumbent: 1 },
};

/** A gate that races `good`; before that, `failed` baseline runs failed. */
function racing(failed = 0): GateDriver {
  const driver = new GateDriver();
  driver.answer(() => null, failed);
  driver.calibrate(BASELINE);
  driver.feed({ candidateId: 'good', value: 8 });
  expect(driver.state.races).toHaveLength(1);
  return driver;
}

/** Answers wanted runs; the first `most` runs of `good` fail. */
function answer(driver: GateDriver, most: number, value = 8): void {
  let failures = 0;
  driver.answer(({ candidateId }: WantedRun) => {
    if (candidateId !== 'good') return jitter(driver.n);
    failures += 1;
    return failures <= most ? null : value + jitter(driver.n);
  });
}

describe('if the unmodified version never fails', () => {
  test('a failed run of either side counts as the worst value of the race, or of the incumbent before it', () => {
    const { values, controls } = withFailedRuns(racing().state, OPEN);
    // The worst of BASELINE.
    expect(values).toEqual([5, 4, -1.5, -1.5]);
    expect(controls).toEqual([0, 1, -1.5]);
  });

  test('a failed run takes the place of a run: it is not requested again', () => {
    const driver = racing();
    const runs = driver.wanted.filter(({ candidateId }) => candidateId === 'good');
    driver.wanted = driver.wanted.filter(({ candidateId }) => candidateId !== 'good');
    driver.feed({ ...runs[0]!, parentId: null, value: null });
    expect(driver.wanted.filter(({ candidateId }) => candidateId === 'good')).toEqual([]);
    // A run that a machine lost says nothing about the candidate.
    driver.feed({ ...runs[1]!, parentId: null, value: null, censored: true });
    expect(driver.wanted.filter(({ candidateId }) => candidateId === 'good')).toHaveLength(1);
  });

  test('a candidate with a few failures still wins if it is far better, after more runs', () => {
    const [clean, failing] = [racing(), racing()];
    answer(clean, 0);
    answer(failing, 2);
    expect(clean.verdictOf(11)?.reason).toMatch(/in 6 runs of each, .* ≤ 0\.\d+$/);
    expect(failing.verdictOf(11)).toMatchObject({ verdict: 'keep' });
    expect(failing.verdictOf(11)?.reason).toMatch(/in 9 runs of each, .*; won 7 runs, 2 more failed$/);
    // Failed runs have no value that could enter the mean, which is that of the four runs after the claim.
    expect(claim(failing.state)).toMatchObject({ candidateId: 'good', n: 4 });
    expect(claim(failing.state).mean).toBeGreaterThan(7);
  });

  test('the reason of a won race counts the failures in the race, and the claim those of all re-runs', () => {
    const driver = racing();
    const good = driver.state.subjects.find(({ candidateId }) => candidateId === 'good')!;
    Object.assign(good, { failed: 6, completed: 4 });
    answer(driver, 2);
    expect(driver.verdictOf(11)?.reason).toMatch(/in 9 runs of each, .*; won 7 runs, 2 more failed$/);
    // Seven runs of the race and four after the claim gave a value, besides the four before.
    expect(claimBasis(driver.config, driver.state)).toMatchObject({ basis: '8 of its 23 re-runs failed' });
  });

  test('a candidate that fails in half of its runs wins no race, however good the others are', () => {
    const driver = racing();
    let runs = 0;
    driver.answer(({ candidateId }) => {
      if (candidateId !== 'good') return jitter(driver.n);
      runs += 1;
      return runs % 2 === 0 ? null : 4 + jitter(driver.n);
    });
    expect(driver.claims).toEqual([]);
  });
});

/** A gate that has claimed `good`, whose later runs fail, and whose search then finds the far better `b0`. */
function withFailingIncumbent(failed: number): GateDriver {
  const driver = racing(failed);
  answer(driver, 0);
  expect(claim(driver.state).candidateId).toBe('good');
  for (let i = 0; i < 30; i += 1) {
    const values: Record<string, number> = { base: 0, b0: 24, b10: 24, b20: 24 };
    const valueOf = (id: string): number => (values[id] ?? 8) + jitter(driver.n);
    driver.feed({ candidateId: `b${i}`, parentId: driver.state.leadId, value: valueOf(`b${i}`) });
    driver.answer(({ candidateId }) => (candidateId === 'good' ? null : valueOf(candidateId)), 300);
  }
  return driver;
}

test('a state of 0.2, which did not count failures, requests failed runs again', () => {
  const { state } = racing();
  for (const subject of state.subjects) delete subject.failed;
  expect(withFailedRuns(state, OPEN)).toBe(OPEN);
});

describe('an incumbent whose runs all fail', () => {
  test('does not block the claim of a better candidate', () => {
    expect(claim(withFailingIncumbent(0).state).candidateId).toMatch(/^b[12]?0$/);
  });

  test('is named as the side that failed, if the unmodified version fails, too', () => {
    const { rulings } = withFailingIncumbent(1);
    expect(rulings.map(({ reason }) => reason)).toContain('race lost: 7 fresh runs of the best gave no value');
  });
});

describe('if the unmodified version fails, too', () => {
  test('failed runs do not count in a race, and are requested again', () => {
    const driver = racing(1);
    expect(withFailedRuns(driver.state, OPEN)).toBe(OPEN);
    answer(driver, 2);
    expect(driver.verdictOf(12)?.reason).toMatch(/in 6 runs of each, .*; won 6 runs, 2 more failed$/);
  });
});

test('failures of a candidate are counted for good, beyond the next value', () => {
  const driver = racing();
  answer(driver, 1);
  driver.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: null });
  driver.feed({ kind: 'remeasure', candidateId: 'good', ofTrial: 11, value: 8.5 });
  const good = driver.state.subjects.find(({ candidateId }) => candidateId === 'good');
  expect(good).toMatchObject({ failures: 0, failed: 2 });
});

test('the failures of a heat do not count in the race that follows', () => {
  const driver = new GateDriver({ followsLead: false }).calibrate();
  driver.feed({ candidateId: 'good', value: 8 });
  expect(driver.state.races).toMatchObject([{ heat: true }]);
  answer(driver, 1);
  expect(driver.verdictOf(11)?.reason).toMatch(/in 6 runs of each, [^;]*$/);
});
