import { expect, test } from 'vitest';
import { spreadOf } from '../../../../domain/gate/estimate/spread.ts';
import { noiseSd } from '../../../../domain/gate/subject.ts';
import { seriesOf } from '../../../../domain/statistics/series.ts';
import { BASELINE, GateDriver } from '../support.ts';

const shared = (state: GateDriver['state']) => ({ variance: noiseSd(state) ** 2, df: state.noise.df });

test('a candidate has a spread of its own from six runs on', () => {
  const { state } = new GateDriver().calibrate();
  expect(spreadOf(state, seriesOf([1, 5, 9, 1, 5]))).toEqual(shared(state));
  const own = spreadOf(state, seriesOf([1, 5, 9, 1, 5, 9]));
  expect(own.df).toBe(5);
  expect(own.variance).toBeCloseTo(12.8, 10);
});

test('identical runs of a candidate do not show that it has no noise', () => {
  const { state } = new GateDriver().calibrate();
  expect(spreadOf(state, seriesOf([2, 2, 2, 2, 2, 2, 2]))).toEqual(shared(state));
});

test('if the baseline has a rare bad run, a candidate without one is no less noisy than the rest', () => {
  const quiet = seriesOf([0.1, 0.2, 0.15, 0.12, 0.18, 0.14]);
  expect(spreadOf(new GateDriver().calibrate(BASELINE).state, quiet).variance).toBeLessThan(0.01);
  const { state } = new GateDriver().calibrate([...BASELINE.slice(0, 9), -30]);
  expect(spreadOf(state, quiet)).toEqual(shared(state));
});
