import { describe, expect, it, test } from 'vitest';
import type { Knob } from '../../../domain/knob/knob.ts';
import type { KnobValue } from '../../../domain/knob/knob-value.ts';
import { writeLiteral } from '../../../domain/knob/write-literal.ts';

const choice = (file: string, form?: Knob['form']): Knob => ({
  file,
  name: 'ACT',
  type: 'choice',
  values: ['a', 'b'],
  ...(form ? { form } : {}),
});
const float: Knob = { file: 'k.py', name: 'LR', type: 'float', range: [0, 1], scale: 'linear' };
const write = (value: KnobValue, file: string, old: string, form?: Knob['form']): string | null =>
  writeLiteral(value, { knob: choice(file, form), old });

test.each([
  [0.5, '0.1', '0.5'],
  [1, '0.1', '1.0'],
  [1, '1', '1.0'],
  [1e-7, '0.1', '1.0e-7'],
  [1.5e-7, '0.1', '1.5e-7'],
])('a float knob takes %j in place of %s with a point', (value, old, text) => {
  expect(writeLiteral(value, { knob: float, old })).toBe(text);
});

describe('a choice', () => {
  it.each<[KnobValue, string, string, string | null]>([
    [null, 'k.py', "'relu'", 'None'],
    ['gelu', 'k.py', 'None', '"gelu"'],
    ['gelu', 'k.py', "'relu'", "'gelu'"],
    [true, 'k.py', '"relu"', 'True'],
    [true, 'k.py', 'False', 'True'],
    [1, 'k.py', 'None', '1'],
    [1, 'k.py', '0.5', '1.0'],
    ["it's", 'k.py', "'a'", "'it\\'s'"],
    ['SGD', 'k.py', 'Adam', 'SGD'],
    [null, 'k.mjs', '"relu"', 'null'],
    [null, 'k.ts', 'undefined', 'undefined'],
    ['gelu', 'k.js', 'null', "'gelu'"],
    [true, 'k.js', 'false', 'true'],
    [null, 'k.json', '"relu"', 'null'],
    ['gelu', 'k.json', 'null', '"gelu"'],
    [true, 'k.json', 'null', 'true'],
    [null, 'k.yaml', 'relu', 'null'],
    [null, 'k.yaml', '~', '~'],
    ['gelu', 'k.yaml', 'null', 'gelu'],
    ['no', 'k.yaml', 'relu', '"no"'],
    ['no', 'k.yaml', 'yes', 'no'],
    ['1', 'k.yaml', 'relu', '"1"'],
    ['two words', 'k.yaml', 'relu', '"two words"'],
    ['gelu', 'k.toml', '"relu"', '"gelu"'],
    ["it's", 'k.toml', "'relu'", '"it\'s"'],
    ['a\\b', 'k.toml', "'relu'", "'a\\b'"],
    [null, 'k.toml', '"relu"', null],
    [null, 'k.lua', '"relu"', 'nil'],
    ['gelu', 'k.lua', 'nil', '"gelu"'],
    [null, 'k.rb', "'relu'", 'nil'],
    ['$x', 'k.rb', '"relu"', null],
    [null, 'k.xyz', '"relu"', null],
    [null, 'k.xyz', 'nil', 'nil'],
    ['gelu', 'k.env', 'relu', 'gelu'],
    ['two words', 'k.env', 'relu', '"two words"'],
    ["it's", 'k.sh', "'relu'", '"it\'s"'],
    ['$x', 'k.sh', '"relu"', "'$x'"],
    ['a\\b', 'k.sh', '"relu"', null],
    [1e-7, 'k.yaml', 'relu', '1.0e-7'],
    ['two words', 'k.ini', 'relu', null],
    ['true', 'k.ini', 'relu', null],
  ])('writes %j in %s in place of %s', (value, file, old, text) => {
    expect(write(value, file, old)).toBe(text);
  });

  it('has the style of the unmodified file if the replaced literal shows none', () => {
    expect(write('SGD', 'k.py', 'None', { original: 'Adam' })).toBe('SGD');
    expect(write('gelu', 'k.py', 'None', { original: "'relu'" })).toBe("'gelu'");
    expect(write(null, 'k.js', "'relu'", { original: 'undefined' })).toBe('undefined');
    expect(write(1, 'k.py', 'None', { original: '0.5' })).toBe('1.0');
  });

  it('writes every number with a point if task.yaml writes one so', () => {
    expect(write(1, 'k.toml', '2', { float: true })).toBe('1.0');
  });
});
