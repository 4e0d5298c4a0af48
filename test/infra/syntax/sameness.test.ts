import { describe, expect, test } from 'vitest';
import { packageRoot, syntaxFilesIn } from '../../../config/paths.ts';
import { samenessContent } from '../../../domain/search/known/sameness.ts';
import { readTokens } from '../../../domain/search/known/tokens.ts';
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
    ['spaces within a field of an f-string', 'a.py', 'x = f"{ a }{{{b:>{w}}"', 'x = f"{a}{{{ b:>{w}}"'],
    ['a byte order mark', 'a.py', '\ufeffx = 1\n', 'x = 1\n'],
    ['a continued line', 'a.py', 'x = 1 + \\\n  2\n', 'x = 1 + 2\n'],
    ['a continued line before a string', 'a.py', "x = a + \\\n  'b'\n", "x = a + 'b'\n"],
    ['line ends', 'a.py', 'if a:\r\n  b()\r\n', 'if a:\n  b()\n'],
    ['tabs in place of spaces', 'a.py', 'if a:\n\tb()\n\tc()\n', 'if a:\n  b()\n  c()\n'],
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
    ['text beside an escape', 'a.py', '"a+\\d"', '"[0-9]*\\d"'],
    ['bytes beside an escape', 'a.py', 'x = b"a\\x00"', 'x = b"b\\x00"'],
    [
      'lines beside an escape',
      'a.py',
      'P = """Answer the question.\\nBe brief."""',
      'P = """Think step by step, then answer.\\nGive only a number."""',
    ],
    ['text beside a doubled brace', 'a.py', 'x = f"a{{{b}"', 'x = f"c{{{b}"'],
    ['text within doubled braces', 'a.py', 'x = f"{{a}}"', 'x = f"{{b}}"'],
    ['a format beside a nested field', 'a.py', 'x = f"{x:.{p}f}"', 'x = f"{x:.{p}e}"'],
    ['a width beside a nested field', 'a.py', 'x = f"{x:>{w}}"', 'x = f"{x:<{w}}"'],
    ['the text that a field prints', 'a.py', 'x = f"{a = }"', 'x = f"{a=}"'],
    ['the text that a field with a conversion prints', 'a.py', 'x = f"{a+b=!r:>{w}}"', 'x = f"{a + b=!r:>{w}}"'],
    ['a line that ends a comment', 'a.py', 'x = 1 # a\ry = 2\n', 'x = 1 # a\rz = 3\n'],
    ['a line that ends a comment of JavaScript', 'a.js', 'x = 1 // a\ry = 2\n', 'x = 1 // a\rz = 3\n'],
    ['a separator that ends a comment', 'a.js', 'x = 1 // a\u2028y = 2\n', 'x = 1 // a\u2028z = 3\n'],
    ['tabs beside spaces', 'a.py', 'if a:\n\tb()\n        c()\n', 'if a:\n        b()\n        c()\n'],
    ['a space that Python refuses', 'a.py', 'x =\u00a01', 'x = 1'],
    ['a comment with a line end after return', 'a.js', 'function f() { return /*\n*/ 1 }', 'function f() { return 1 }'],
    ['blank text of an element', 'a.jsx', 'x = <a> {b}</a>', 'x = <a>{b}</a>'],
    ['blank text of a template', 'a.js', 'x = ` ${b}`', 'x = `  ${b}`'],
    ['text beside an escape of JavaScript', 'a.js', "x = 'a\\n'", "x = 'b\\n'"],
    ['a template type', 'a.ts', 'let x: `a ${b}`', 'let x: `c ${b}`'],
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

test('files that are large together are compared by their text', async () => {
  const part = `${'x = 1\n'.repeat(10_000)}`;
  const few = { 'a.py': part, 'b.txt': part.repeat(9) };
  expect(await syntax.readAll(few)).toEqual({ 'a.py': await read('a.py', part), 'b.txt': { text: few['b.txt'] } });
  expect(await read('a.py', part)).toHaveProperty('tokens');
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`${n}.py`, part]));
  expect(Object.values(await syntax.readAll(many))).toEqual(Array.from({ length: 7 }, () => ({ text: part })));
});

test('other work continues between two files', async () => {
  await read('a.py', '');
  const order: string[] = [];
  const reading = syntax.readAll({ 'a.py': 'x = 1', 'b.py': 'x = 2' }).then(() => order.push('read'));
  setImmediate(() => order.push('other work'));
  await reading;
  expect(order).toEqual(['other work', 'read']);
});

test('a tree without a node for a part of the text gives no tokens', () => {
  const module = { nodeType: 'module', nodeIsNamed: true, startIndex: 0, endIndex: 7 };
  const leaf = { nodeType: 'escape', nodeIsNamed: true, startIndex: 4, endIndex: 6 };
  const tokensOf = (text: string) => {
    let node = module;
    const cursor = {
      get nodeType() {
        return node.nodeType;
      },
      nodeIsNamed: true,
      get startIndex() {
        return node.startIndex;
      },
      get endIndex() {
        return node.endIndex;
      },
      gotoFirstChild: () => node === module && ((node = leaf), true),
      gotoNextSibling: () => false,
      gotoParent: () => node === leaf && ((node = module), true),
    };
    return readTokens(cursor, { language: 'python', text });
  };
  expect(tokensOf('    \\d ')).toEqual(['(module', '=\\d', ')']);
  expect(tokensOf('  a \\d ')).toBeNull();
  expect(tokensOf('    \\da')).toBeNull();
});

test('unclosed brackets and odd characters are read, and the next program is read as before', async () => {
  const before = await read('a.py', 'x = 1');
  for (const text of ['('.repeat(50_000), 'x = "\0"', 'x = "\ud800"', '([{'.repeat(20_000), ''])
    await read('a.py', text);
  expect(await read('a.py', 'x = 1')).toEqual(before);
});
