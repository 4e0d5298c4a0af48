import { describe, expect, it } from 'vitest';
import { findAssignments } from '../../../domain/knob/knob-value.ts';

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

  it.each([
    'RATE = 0.1 * 2',
    'RATE = f(3)',
    'RATE = [1, 2]',
    'RATE = "a" + "b"',
    'RATE =',
    'RATE = -x',
    'RATE = {',
    'RATE = 010',
    'RATE = -007',
    'RATE = 0_10',
  ])('finds %j but no literal in it', (line) => {
    expect(findAssignments(line, 'RATE').map(({ value }) => value)).toEqual([undefined]);
  });

  it.each([
    ['k.py', 'None', null],
    ['k.py', "'None'", 'None'],
    ['k.py', 'null', 'null'],
    ['k.js', 'undefined', null],
    ['k.json', 'null,', null],
    ['k.yaml', '~', null],
    ['k.yaml', 'None', 'None'],
    ['k.yaml', "'it''s'", "it's"],
    ['k.toml', "'a\\b'", 'a\\b'],
    ['k.py', '"a\\n\\x41"', 'a\nA'],
    ['k.lua', 'nil', null],
  ])('reads the literals of %s: %s', (path, raw, value) => {
    expect(findAssignments(`RATE = ${raw}`, 'RATE', path).map((one) => one.value)).toEqual([value]);
  });

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
