import { describe, expect, it } from 'vitest';
import { findAssignments, literalOf } from '../../../domain/knob/knob-value.ts';

describe('findAssignments', () => {
  it.each([
    ['const RATE = 0.1;', 0.1],
    ['export const RATE = 1e-3; // per step', 0.001],
    ['  let RATE=1_000', 1000],
    ['const RATE: number = .5;', 0.5],
    ['RATE = 0.1', 0.1],
    ['RATE: float = -2.5e+1  # note', -25],
    ['RATE = True', true],
    ['RATE = "adam"  # optimiser', 'adam'],
    ["RATE = 'it\\'s'", "it's"],
    ['RATE: 0.1', 0.1],
    ['  RATE: adam', 'adam'],
    ['RATE = false', false],
    ['  "RATE": 3,', 3],
    ['RATE := 4', 4],
    ['RATE = 7\r', 7],
  ])('reads %j', (line, value) => {
    const found = findAssignments(`before\n${line}\nafter\n`, 'RATE');
    expect(found.map((one) => one.value)).toEqual([value]);
  });

  it('reads a first line behind a byte order mark', () => {
    const source = '\ufeffRATE = 0.1\r\nx\n';
    const [only] = findAssignments(source, 'RATE');
    expect(only).toEqual({ start: 8, end: 11, raw: '0.1', value: 0.1 });
    expect(source.slice(only?.start, only?.end)).toBe('0.1');
  });

  it.each([
    'if (RATE == 0.1) {',
    'RATE == 0.1',
    'RATE => 1',
    'MY_RATE = 0.1',
    'RATES = 0.1',
    'x = RATE',
    '# RATE = 0.1',
    '// const RATE = 0.1',
    'print(RATE, 0.1)',
    'RATE += 1',
  ])('does not read %j', (line) => {
    expect(findAssignments(line, 'RATE')).toEqual([]);
  });

  it.each(['RATE = 0.1 * 2', 'RATE = f(3)', 'RATE = [1, 2]', 'RATE = "a" + "b"', 'RATE =', 'RATE = -x', 'RATE = {'])(
    'finds %j but no literal in it',
    (line) => {
      expect(findAssignments(line, 'RATE').map(({ value }) => value)).toEqual([undefined]);
    },
  );

  it('gives the position of every literal', () => {
    const source = 'A = 1\nRATE = 0.25 # x\nRATE: "b",\n';
    expect(findAssignments(source, 'RATE').map(({ start, end }) => source.slice(start, end))).toEqual(['0.25', '"b"']);
  });

  it('matches a name literally, not as a pattern', () => {
    expect(findAssignments('axb = 1', 'a.b')).toEqual([]);
    expect(findAssignments('a.b = 1', 'a.b')).toHaveLength(1);
    expect(findAssignments('x = 1', '(')).toEqual([]);
  });
});

describe('literalOf', () => {
  it.each([
    [0.5, '0.1', true, '0.5'],
    [1, '0.1', true, '1.0'],
    [1e-7, '0.1', true, '1.0e-7'],
    [1.5e-7, '0.1', true, '1.5e-7'],
    [8, '4', false, '8'],
    [true, 'False', false, 'True'],
    [true, 'false', false, 'true'],
    ['b', "'a'", false, "'b'"],
    ['b', '"a"', false, '"b"'],
    ['b', 'a', false, 'b'],
    ['no', 'a', false, '"no"'],
    ['two words', 'a', false, '"two words"'],
    ["it's", "'a'", false, "'it\\'s'"],
    ['b', '0.1', false, '"b"'],
  ])('writes %j in place of %s', (value, old, float, text) => {
    expect(literalOf(value, old, float)).toBe(text);
  });
});
