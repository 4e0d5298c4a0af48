import { expect, test } from 'vitest';
import type { ExplainedKnob } from '../../../../dashboard/api/research/explanation.ts';
import { lineRows, sharedRange, sliceRows } from '../../../../dashboard/web/pages/knobs/slices.ts';

const KNOB: ExplainedKnob = {
  key: 'train.py:LR',
  name: 'LR',
  file: 'train.py',
  n: 9,
  without: null,
  share: 1,
  interval: [0.5, 1],
  chance: 0.01,
  topValues: { from: '0.1', to: '0.2' },
  slice: [
    { from: '0', to: '0.5', n: 7, median: 2, interval: [1.5, 2.5] },
    { from: '0.5', to: '1', n: 2, median: 4, interval: null },
    { from: '1', to: '1', n: 0, median: null, interval: null },
  ],
};

test('the table of slices has the numbers of the drawing, and says where there are too few trials', () => {
  expect(sliceRows([KNOB]).map(({ cells }) => cells)).toEqual([
    ['LR', '0 to 0.5', '7', '2.000', '1.500 to 2.500'],
    ['LR', '0.5 to 1', '2', '4.000', 'too few trials'],
    ['LR', '1', '0', '–', 'too few trials'],
  ]);
});

test('all slices share a range, which is finite without values, too', () => {
  expect(sharedRange([KNOB])).toEqual({ low: 1.5, high: 4 });
  expect(sharedRange([])).toEqual({ low: 0, high: 1 });
});

test('the table of parallel coordinates has the knobs in the order of importance', () => {
  const lines = [{ value: 1.5, positions: [0, null], texts: ['a', null], isTop: true }];
  expect(lineRows(lines, [1, 0])).toEqual([{ cells: ['1.500', 'yes', '–', 'a'] }]);
});
