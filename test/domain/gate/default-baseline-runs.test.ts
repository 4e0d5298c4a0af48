import { describe, expect, test } from 'vitest';
import { defaultBaselineRuns } from '../../../domain/gate/default-baseline-runs.ts';
import { GateDriver } from './support.ts';

describe('the default number of baseline runs', () => {
  test.each([
    [1, 3],
    [12, 3],
    [13, 4],
    [20, 5],
    [36, 9],
  ])(
    'is for a budget of %i trials a quarter of them, at least 3: %i, and 10 if two values are equal',
    (trials, runs) => {
      expect(defaultBaselineRuns('noise-gated', trials)).toEqual({ baselineRuns: runs, baselineRunsIfTied: 10 });
    },
  );

  test.each([37, 40, 100_000, undefined])('is 10 for a budget of %s trials', (trials) => {
    expect(defaultBaselineRuns('noise-gated', trials)).toEqual({ baselineRuns: 10 });
  });

  test('is 1 for the strict rule', () => {
    expect(defaultBaselineRuns('strict', 20)).toEqual({ baselineRuns: 1 });
  });
});

describe('a baseline of five runs', () => {
  const config = defaultBaselineRuns('noise-gated', 20);
  const wantedIn = (driver: GateDriver): number => driver.wanted.filter(({ kind }) => kind === 'baseline').length;

  test('is complete after five runs whose values differ', () => {
    const driver = new GateDriver(config).calibrate([1, 2, 3, 1.5, 2.5]);
    expect([wantedIn(driver), driver.state.calibrating]).toEqual([0, null]);
  });

  test('goes on to ten runs if any two values are equal to the last bit', () => {
    const driver = new GateDriver(config).calibrate([0.1, 0.2, 0.3, 0.1 + 0.2, 0.3]);
    expect([wantedIn(driver), driver.state.calibrating]).toEqual([5, { candidateId: 'base', need: 10 }]);
    driver.calibrate([0.1, 0.2, 0.3, 0.4, 0.5]);
    expect([wantedIn(driver), driver.state.calibrating]).toEqual([0, null]);
  });

  test('stays complete after five equal values if the task itself sets five runs', () => {
    const driver = new GateDriver({ baselineRuns: 5 }).calibrate([1, 1, 1, 1, 1]);
    expect(driver.state.calibrating).toBeNull();
  });
});
