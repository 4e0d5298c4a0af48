import { describe, expect, it } from 'vitest';
import { endOf, layersOf } from '../../../../../dashboard/web/pages/trial/run/curve-layers.ts';

const curve = {
  name: 'loss',
  step: [0, 10, 40],
  elapsed: [0, 1, 4],
  value: [5, null, 4],
  notFinite: 1,
  mark: { step: 40, label: 'stopped at 40 %' },
};
const forecast = {
  forecast: 3.5,
  low: 3.2,
  high: 3.8,
  toBeat: 3.1,
  share: 0.4,
  wanted: true,
  audited: false,
  words: 'it cannot win',
};
const metric = { name: 'loss', direction: 'minimize', unit: null, optimum: null } as const;
const labels = (name: string) =>
  layersOf({ curve: { ...curve, name }, forecast, trial: { metric, value: null } }).map(({ label }) => label);

describe('the chart of a run', () => {
  it('has the forecast and the value to beat if its curve is the metric', () => {
    expect(labels('loss')).toEqual(['to beat', 'forecast', 'forecast', 'loss', 'stopped at 40 %']);
  });

  it('has neither if the curve is another quantity', () => {
    expect(labels('train_loss')).toEqual(['train_loss', 'stopped at 40 %']);
  });

  it('ends at the budget: a run that was stopped at 40 % has 60 % of empty axis before its forecast', () => {
    expect(endOf(curve, forecast)).toBe(100);
    expect(endOf({ ...curve, mark: null }, forecast)).toBe(40);
    expect(endOf({ ...curve, step: [], mark: null }, null)).toBe(0);
  });

  it('shows no interval if the rule gave none', () => {
    const layers = layersOf({
      curve,
      forecast: { ...forecast, forecast: null, low: null, high: null, toBeat: null },
      trial: { metric, value: null },
    });
    expect(layers.map(({ kind }) => kind)).toEqual(['line', 'mark']);
  });
});
