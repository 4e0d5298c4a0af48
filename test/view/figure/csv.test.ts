import { expect, test } from 'vitest';
import { csvText } from '../../../view/figure/csv.ts';

const rowOf = (...cells: (string | number | null)[]): string =>
  csvText({ columns: cells.map(() => 'c'), rows: [cells] })
    .split('\r\n')
    .slice(1)
    .join('\r\n');

test('a row ends with carriage return and line feed, the last one too', () => {
  expect(
    csvText({
      columns: ['a', 'b'],
      rows: [
        [1, 'x'],
        [2, null],
      ],
    }),
  ).toBe('a,b\r\n1,x\r\n2,\r\n');
});

test.each([
  ['a comma', 'a,b', '"a,b"\r\n'],
  ['a quote', 'say "so"', '"say ""so"""\r\n'],
  ['a line break', 'a\nb', '"a\nb"\r\n'],
])('a cell with %s stands in quotes', (_, cell, expected) => {
  expect(rowOf(cell)).toBe(expected);
});

test.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', '\n=1', ' =1', '|cmd'])(
  'a text that a spreadsheet would compute is shown: %j',
  (cell) => {
    expect(rowOf(cell).replace(/^"/, '')).toMatch(/^'/);
  },
);

test('a negative number stays a number, and one that is not finite is empty', () => {
  expect(rowOf(-1.5, Number.NaN, Infinity)).toBe('-1.5,,\r\n');
});

test('control and bidirectional characters are named', () => {
  expect(rowOf('a\u202eb\u0000')).toBe('a[U+202E]b[NUL]\r\n');
});
