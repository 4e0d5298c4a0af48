import { expect, test } from 'vitest';
import { findConstants } from '../../../domain/source/find-constants.ts';

/** Constants as `NAME = LITERAL`, then repeated names with their number of assignments. */
const read = (text: string, file = 'train.py'): string[] => {
  const { constants, repeated } = findConstants({ [file]: text });
  return [
    ...constants.map(({ name, raw }) => `${name} = ${raw}`),
    ...repeated.map(({ name, times }) => `${name} ${times} times`),
  ];
};

test.each([
  ['train.py', `"""\nrate = 0.1\n"""\nrate = 0.3\n`],
  ['train.py', `def f():\n    '''\n    rate = 0.1\n    '''\nrate = 0.3\n`],
  ['train.py', `# a """ here\nrate = 0.3\n# and a """ there\n`],
  ['train.py', `a = glob("data/*")\nrate = 0.3\nb = glob("*/data")\n`],
  ['train.js', `/*\nrate = 0.1\n*/\nconst rate = 0.3;\n`],
  ['train.js', 'const help = `\nrate = 0.1\n`;\nconst rate = 0.3;\n'],
  ['train.c', `/*\nrate = 0.1\n*/\nrate = 0.3;\n`],
])('in %s, %j assigns once: prose assigns nothing', (file, text) => {
  expect(read(text, file)).toEqual(['rate = 0.3']);
});

test.each(['steps += 5', '    steps *= 2', 'steps -= 1', 'steps //= 2', 'steps **= 2', 'steps <<= 1', 'steps++;'])(
  'a literal that %j changes later is no constant',
  (update) => expect(read(`steps = 10\n${update}\n`)).toEqual(['steps 2 times']),
);

test.each(['steps += 5', 'steps = 010', '"""\nsteps = 10\n"""', 'f(\n  steps,\n)\nsteps == 10'])(
  '%j has no constant',
  (text) => expect(read(text)).toEqual([]),
);

test.each(['# steps += 5', '"""\nsteps += 5\n"""', 'more_steps += 5', 'other = steps\nsteps == 5'])(
  '%j changes no constant before it',
  (text) => expect(read(`steps = 10\n${text}\n`)).toEqual(['steps = 10']),
);

test('settings have no changes, and their texts are no prose', () => {
  expect(read('a: "/*"\nsteps: 10\nb: "*/"\n', 'conf.yaml')).toEqual(['a = "/*"', 'steps = 10', 'b = "*/"']);
});
