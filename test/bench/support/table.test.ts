import { expect, test } from 'vitest';
import { formatTable } from '../../../bench/support/table.ts';

test('words align to the left, numbers to the right, unknown is a dash', () => {
  const text = formatTable(
    'Phases',
    ['phase', 'p50 ms', 'n'],
    [
      ['propose', 12.34567, 3],
      ['launch and wait', 7, 1200],
      ['score', null, 0],
    ],
  );
  expect(text).toBe(
    [
      'Phases',
      'phase            p50 ms     n',
      '-----            ------     -',
      'propose           12.35     3',
      'launch and wait       7  1200',
      'score                 –     0',
    ].join('\n'),
  );
});

test('a column that mixes words and numbers aligns to the left', () => {
  const text = formatTable('T', ['a', 'b'], [['x', 1], ['y', 'none']]); // prettier-ignore
  expect(text.split('\n').slice(3)).toEqual(['x  1', 'y  none']);
});

test('wide characters and values that are not finite keep the columns straight', () => {
  const text = formatTable(
    'T',
    ['name', 'value'],
    [
      ['学習率', NaN],
      ['lr', Infinity],
    ],
  );
  expect(text.split('\n').slice(3)).toEqual(['学習率       NaN', 'lr      Infinity']);
});

test('a row with a cell too few is refused', () => {
  expect(() => formatTable('T', ['a', 'b'], [['x']])).toThrow('expected 2 cells in each row of "T", got 1: x');
});
