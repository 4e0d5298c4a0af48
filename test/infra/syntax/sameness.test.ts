import { describe, expect, test } from 'vitest';
import { packageRoot, syntaxFilesIn } from '../../../config/paths.ts';
import { samenessContent } from '../../../domain/search/known/sameness.ts';
import { createSyntax } from '../../../infra/syntax/syntax.ts';

const syntax = createSyntax(syntaxFilesIn(packageRoot()));
const read = (path: string, text: string) => syntax.read(path, text);

/** Compares two texts of one file. */
async function same(path: string, one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([read(path, one), read(path, other)]);
  return samenessContent({ [path]: first }, 'i') === samenessContent({ [path]: second }, 'i');
}

describe('one program', () => {
  test.each([
    ['comments', 'a.py', 'x = 1  # one\n', '# two\nx = 1\n'],
    ['the width of an indentation and blank lines', 'a.py', 'if a:\n  b()\n\n  c()\n', 'if a:\n    b()\n    c()\n'],
    ['spaces and line breaks within brackets', 'a.py', 'f(a,\n  b)\n', 'f( a , b )\n'],
    ['a last comma of a call', 'a.py', 'f(a, b)\n', 'f(\n  a,\n  b,\n)\n'],
    ['quotes of a string', 'a.py', "x = 'a'\n", 'x = "a"\n'],
    ['semicolons between statements', 'a.py', 'x = 1; y = 2\n', 'x = 1\ny = 2\n'],
    ['a comment between tokens', 'a.py', 'x = [1, # one\n 2]\n', 'x = [1, 2]\n'],
    ['comments of JavaScript', 'a.js', 'const a = 1; // c\n/* d */ f(a);', 'const a = 1;\nf(a);\n'],
    ['optional semicolons', 'a.mjs', 'const a = 1\nf(a)', 'const a = 1;\nf(a);'],
    ['quotes of JavaScript', 'a.js', "f('x')", 'f("x")'],
    ['a last comma of a literal', 'a.js', 'const a = [1, 2];', 'const a = [\n  1,\n  2, // two\n];'],
    ['types of TypeScript', 'a.ts', 'const a: number = 1;', 'const a:number=1 // n'],
  ])('differs in %s', async (_name, path, one, other) => {
    expect(await same(path, one, other)).toBe(true);
  });
});

describe('two programs', () => {
  test.each([
    ['another literal', 'a.py', 'x = 1', 'x = 2'],
    ['tuple and list', 'a.py', 'a=(1,2)', 'a=[1,2]'],
    ['brackets that group', 'a.py', '(a+b)*c', 'a+b*c'],
    ['bytes and text', 'a.py', "a=b'x'", "a='x'"],
    ['a line that leaves an if', 'a.py', 'if a:\n  b()\n  c()\n', 'if a:\n  b()\nc()\n'],
    ['a tuple as argument', 'a.py', 'f((1,2))', 'f(1,2)'],
    ['a tuple of one as argument', 'a.py', 'f(1,)', 'f((1,))'],
    ['a tuple of one', 'a.py', 'x = (1)', 'x = (1,)'],
    ['a tuple as index', 'a.py', 'x[1,]', 'x[1]'],
    ['a tuple as target', 'a.py', '(x,) = y', '(x) = y'],
    ['white space in a string', 'a.py', "x = 'a b'", "x = 'a  b'"],
    ['a docstring', 'a.py', 'def f():\n  """a"""\n', 'def f():\n  """b"""\n'],
    ['a string and a name', 'a.py', 'x = "a"', 'x = a'],
    ['a hash in a string', 'a.py', 'x = "a # b"', 'x = "a # c"'],
    ['the order of brackets', 'a.js', 'a-(b-c)', 'a-b-c'],
    ['a hole of a list', 'a.js', 'x=[,]', 'x=[]'],
    ['two holes of a list', 'a.js', 'x=[1,,]', 'x=[1,]'],
    ['an empty loop', 'a.js', 'while (a) ;\nb()', 'while (a)\nb()'],
    ['an empty branch', 'a.js', 'if (a);b()', 'if (a)b()'],
    ['a line that returns', 'a.js', 'function f() { return\n1 }', 'function f() { return 1 }'],
    ['optional chaining in brackets', 'a.js', '(a?.b).c', 'a?.b.c'],
    ['a regular expression', 'a.js', 'x = /a b/', 'x = /a  b/'],
    ['white space in a template', 'a.js', 'x = `a ${b}`', 'x = `a  ${b}`'],
    ['a type', 'a.ts', 'const a: number = 1', 'const a: 1 = 1'],
    ['comments of a file that does not parse', 'a.py', 'def f(:\n  x # a', 'def f(:\n  x # b'],
    ['comments of another language', 'a.rb', 'x = 1 # a', 'x = 1 # b'],
    ['white space of a text', 'a.txt', 'a b', 'a  b'],
  ])('differ in %s', async (_name, path, one, other) => {
    expect(await same(path, one, other)).toBe(false);
  });

  test('differ in the path of a file, and in the immutable content of their task', async () => {
    const file = await read('a.py', 'x = 1');
    const contents = [samenessContent({ 'a.py': file }, 'i'), samenessContent({ 'b.py': file }, 'i')];
    expect(new Set([...contents, samenessContent({ 'a.py': file }, 'j')]).size).toBe(3);
  });
});

test('a deeply nested program is read without recursion, and a large one is compared by its text', async () => {
  const nested = `x = ${'('.repeat(60_000)}1${')'.repeat(60_000)}`;
  expect(await same('a.py', nested, `${nested} # c`)).toBe(true);
  const large = `${'x = 1\n'.repeat(34_000)}`;
  expect(await same('a.py', large, `${large}# c\n`)).toBe(false);
});

test('unclosed brackets and odd characters are read, and the next program is read as before', async () => {
  const before = await read('a.py', 'x = 1');
  for (const text of ['('.repeat(50_000), 'x = "\0"', 'x = "\ud800"', '([{'.repeat(20_000), ''])
    await read('a.py', text);
  expect(await read('a.py', 'x = 1')).toEqual(before);
});
