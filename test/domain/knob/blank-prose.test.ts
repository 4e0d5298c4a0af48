import { expect, test } from 'vitest';
import { blankProse } from '../../../domain/knob/blank-prose.ts';
import { languageOf } from '../../../domain/knob/language.ts';

test.each([
  ['k.py', `a = 1\n"""\nb = 2\n"""\nc = 3`, `a = 1\n   \n     \n   \nc = 3`],
  ['k.py', `'''it's\n"b"'''\nc`, `       \n      \nc`],
  ['k.py', `"""a \\""" b""" c`, `               c`],
  ['k.js', '/* a\n"b */ c', '    \n      c'],
  ['k.mjs', 'd = `a\nb`; c', 'd =   \n  ; c'],
  ['k.c', '/* a */ b', '        b'],
  ['k.jl', `"""\na = 1\n"""\nb`, `   \n     \n   \nb`],
])('in %s, the prose of %j becomes spaces', (path, source, blank) => {
  expect(blankProse(source, languageOf(path))).toBe(blank);
});

test.each([
  ['k.py', `# a """\nb\n# """`],
  ['k.py', `a = "\\"'''"\nb = "'''"`],
  ['k.py', 'a = glob("/*")\nb = glob("*/")'],
  ['k.js', '// `\na\n// `'],
  ['k.js', `a = "/*"; b = '*/'`],
  ['k.js', `a = """\nb\n"""`],
  ['k.c', '// /*\na\n// */'],
  ['k.yaml', 'a: /*\nb: 1\nc: */'],
  ['k.toml', `a = '''\nb = 1\n'''`],
  ['k.json', '{"a": "/*", "b": "*/"}'],
  ['k.sh', 'a=/*\nb=1\nc=*/'],
])('in %s, %j has no prose', (path, source) => {
  expect(blankProse(source, languageOf(path))).toBe(source);
});
