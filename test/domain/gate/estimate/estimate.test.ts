import { expect, test } from 'vitest';
import { claim, reportGain } from '../../../../domain/gate/gate.ts';
import { estimateBaseline, estimateIncumbent } from '../../../../domain/gate/estimate/estimate.ts';
import { seriesOf } from '../../../../domain/statistics/series.ts';
import { CONFIG, GateDriver, jitter } from '../support.ts';

const RACE = [6, 7, 5, 8, 6, 7];

/** A gate whose incumbent won a race by `RACE`, and then had these runs. */
function withRunsAfter(values: readonly number[]): GateDriver['state'] {
  const driver = new GateDriver().calibrate();
  driver.feed({ candidateId: 'good', value: 7 });
  driver.answer((want) => (want.candidateId === 'good' ? 7 : 0) + jitter(driver.n));
  const incumbent = driver.state.subjects.find(({ candidateId }) => candidateId === driver.state.incumbentId)!;
  expect(incumbent.candidateId).toBe('good');
  const all = [...RACE, ...values];
  Object.assign(incumbent, { fresh: seriesOf(all), values: all, after: seriesOf(values) });
  return driver.state;
}

test('once four runs were made after a claim, its value is their mean, with the spread of all its fresh runs', () => {
  const estimate = estimateIncumbent(withRunsAfter([4, 5, 6, 5]))!;
  expect([estimate.mean, estimate.n, estimate.df]).toEqual([5, 4, 9]);
  // The mean of all ten runs is 5.9.
  const squares = [...RACE, 4, 5, 6, 5].reduce((sum, value) => sum + (value - 5.9) ** 2, 0);
  expect(estimate.variance).toBeCloseTo(squares / 9 / 4, 10);
});

test('with fewer runs after it, the value of a claim is the mean of all its fresh runs', () => {
  expect(estimateIncumbent(withRunsAfter([]))).toMatchObject({ mean: 6.5, n: 6 });
  expect(estimateIncumbent(withRunsAfter([4, 4, 4]))).toMatchObject({ mean: 51 / 9, n: 9 });
});

test('a state of an older version has no runs after its claim', () => {
  const state = withRunsAfter([4, 5, 6, 5]);
  delete state.subjects.find(({ candidateId }) => candidateId === 'good')!.after;
  expect(estimateIncumbent(state)).toMatchObject({ mean: 5.9, n: 10 });
});

test('correlated runs of the baseline widen its interval and that of the claim', () => {
  const state = withRunsAfter([4, 5, 6, 5]);
  const plain = [estimateBaseline(state)!, estimateIncumbent(state)!];
  state.baseline.values = [...state.baseline.values].sort((a, b) => a - b);
  const wide = [estimateBaseline(state)!, estimateIncumbent(state)!];
  wide.forEach((estimate, i) => {
    expect(estimate.variance).toBeGreaterThan(2 * plain[i]!.variance);
    expect(estimate.df).toBeLessThan(plain[i]!.df);
  });
});

test('if the baseline is the incumbent, it has one value, from all its runs', () => {
  const { state } = new GateDriver().calibrate();
  expect(estimateIncumbent(state)).toEqual(estimateBaseline(state));
  expect(claim(state)).toMatchObject({ candidateId: 'base', mean: state.baseline.series.mean, n: 10 });
});

test('runs of a noisy metric that tie are counted in texts, and are one run in the variance', () => {
  const state = withRunsAfter([6, 6, 6, 6]);
  const good = state.subjects.find(({ candidateId }) => candidateId === 'good')!;
  good.fresh = seriesOf(Array.from({ length: 10 }, () => 6));
  expect(estimateIncumbent(state)).toMatchObject({ mean: 6, n: 4 });
  expect(estimateIncumbent(state)!.variance).toBeCloseTo(state.noise.ss / state.noise.df, 10);
  expect([claim(state).n, reportGain(CONFIG, state).claim?.runs]).toEqual([4, 4]);
});
