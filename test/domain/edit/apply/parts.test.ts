import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';

const PATH = 'a.py';
/** The file after the edit, or the reason why the edit is refused. */
const swap = (file: string, search: string, replace: string): string => {
  const result = applyEdits({ [PATH]: file }, [{ path: PATH, search, replace }], [PATH]);
  return result.ok ? (result.files[PATH] ?? '') : result.reason;
};

describe('a SEARCH text that is a part of a line', () => {
  it.each([
    ['lr = 0.1  # rate\n', 'lr = 0.1', 'lr = 0.2', 'lr = 0.2  # rate\n'],
    ['xx = 10\n', '= 10', '= 11', 'xx = 11\n'],
    ['f(x, steps)\n', 'steps', 'n', 'f(x, n)\n'],
    ['self.lr = 0.1 # a\n', 'lr = 0.1', 'lr = 0.2', 'self.lr = 0.2 # a\n'],
    ['x = a - 1;\n', '1', '2', 'x = a - 2;\n'],
    ['x = (a)-1;\n', '1', '2', 'x = (a)-2;\n'],
    ['range(n-1)\n', 'range(n', 'range(m', 'range(m-1)\n'],
    ['for i in 0..10:\n', '10', '20', 'for i in 0..20:\n'],
    ['"rate": 1,\n', '"rate": 1', '"rate": 2', '"rate": 2,\n'],
    ['x = 10; steps = 10 # a\nsteps = 100\n', 'steps = 10', 'steps = 12', 'x = 10; steps = 12 # a\nsteps = 100\n'],
    ['x = [1.5, 1]\n', ', 1', ', 2', 'x = [1.5, 2]\n'],
    ['Set it to 10.\n', 'to 10', 'to 12', 'Set it to 12.\n'],
    ['the 学习率 is\n', '学习率', '率', 'the 率 is\n'],
    ['x = -y\n', 'y', 'z', 'x = -z\n'],
    ['a→b\n', 'b', 'c', 'a→c\n'],
  ])('is replaced in %j: %j', (file, search, replace, expected) => {
    expect(swap(file, search, replace)).toBe(expected);
  });

  it.each([
    ['steps = 100\n', 'steps = 10'],
    ['# steps = 100\n', 'steps = 10'],
    ['maxsteps = 10\n', 'steps = 10'],
    ['max_steps = 10\n', 'steps = 10'],
    ['steps = 10\n', 'steps = 1'],
    ['steps = 10.5\n', 'steps = 10'],
    ['x = 1.5\n', 'x = 1'],
    ['x = [1.5]\n', '5'],
    ['x = [.5]\n', '5'],
    ['x = [1.5]\n', '.5'],
    ['x = 1e-3\n', 'x = 1'],
    ['x = 1e-3\n', 'x = 1e'],
    ['x = [1e-3]\n', '3'],
    ['x = [1e-3]\n', '-3'],
    ['x = [1.e+3]\n', '+3'],
    ['x = [-1]\n', '1'],
    ['x = -0.5 # a\n', '0.5'],
    ['x = −1 # a\n', '1'],
    ['x = 0x10 # a\n', 'x = 0'],
    ['x = 1_000 # a\n', 'x = 1'],
    ['größe = 1 # a\n', 'e = 1'],
    ['модель = 1 # a\n', 'ель = 1'],
    ['学习率 = 1 # a\n', '率 = 1'],
    ['x = ²3\n', '3'],
    ['$rate = 1; # a\n', 'rate = 1'],
    ['  max-steps: 10\n', 'steps: 10'],
    ['  steps-max: 10\n', 'steps'],
    ['x --steps 10\n', 'steps 10'],
    ['.nav-bar2 { a: b }\n', '.nav-bar'],
    ['resnet-50, a\n', '50'],
    ['m = "gpt-4"\n', 'gpt'],
    ['x = 10,000 # a\n', 'x = 10'],
    ['x: 1,5 # a\n', '5'],
    ['x = 2. # a\n', 'x = 2'],
    ['x = 1.e-3 # a\n', 'x = 1.'],
    ['x = 1.e-3 # a\n', 'x = 1'],
    ['on 2024-01-01:\n', '2024'],
    ['caf\u0065\u0301s = 1\n', 'caf\u0065'],
    ['x = "\u{1f600}"\n', '\ude00'],
  ])('never matches in the middle of a number or a name, in %j: %j', (file, search) => {
    expect(swap(file, search, 'z')).toBe(
      'the SEARCH text for a.py matches 0 times, expected once; it stands only within a longer number or name, ' +
        `in line 1: ${JSON.stringify(file.slice(0, -1))}; copy whole lines`,
    );
  });

  it('gives way to a match of whole lines, and is refused if it matches twice', () => {
    expect(swap('x = 1\nxx = 10\n', 'x = 1', 'x = 3')).toBe('x = 3\nxx = 10\n');
    expect(swap('a = 1 # x\nb = 1 # x\n', '= 1', '= 2')).toContain('matches 2 times');
    expect(swap('a, a\n', 'a', 'b')).toContain('matches 2 times');
  });
});

describe('several lines that replace a part behind white space', () => {
  it.each([
    ['def f():\n    total = 1\n', 'total = 1', 'total = 1\ntotal = 2', 'def f():\n    total = 1\n    total = 2\n'],
    [
      '\t\ttotal = 1\n',
      'total = 1',
      'if x:\n\ttotal = 1\n\nelse:\n\ty',
      '\t\tif x:\n\t\t\ttotal = 1\n\n\t\telse:\n\t\t\ty\n',
    ],
    ['  total = 1 # a\n', 'total = 1', 'a\nb', '  a\n  b # a\n'],
    [
      '    x = 1\n    return x\n',
      'x = 1\n    return x',
      'x = 2\n    y = 3\n    return x',
      '    x = 2\n    y = 3\n    return x\n',
    ],
    ['    x = 1\nreturn x\n', 'x = 1\nreturn x', 'x = 2\ny = 3\nreturn x', '    x = 2\ny = 3\nreturn x\n'],
    ['y = f(1)\n', 'f(1)', 'f(\n  1)', 'y = f(\n  1)\n'],
    ['  a = 1\n', 'a = 1', 'a = 2', '  a = 2\n'],
  ])('get the same indentation, in %j', (file, search, replace, expected) => {
    expect(swap(file, search, replace)).toBe(expected);
  });

  it.each([
    ['    total = 1\n', 'total = 1', 'if x:\n    total = 1'],
    ['    x = 1\n    return x\n', 'x = 1\n    return x', 'x = 2\nreturn x'],
    ['    if x:\n        y\n', 'if x:\n        y', 'if x:\n    z'],
  ])('are refused if their indentation is unclear, in %j', (file, search, replace) => {
    expect(swap(file, search, replace)).toBe(
      'the SEARCH text for a.py begins after the 4 blanks of its line, so that the indent of the REPLACE text ' +
        'is ambiguous; copy whole lines, with their white space',
    );
  });
});
