import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judge, TASK } from './judge.ts';

const EXPLOITS = join(TASK, 'exploits');

/** Function `solve` with these lines as its body. */
const solve = (...lines: string[]) => `def solve():\n${lines.map((line) => `    ${line}\n`).join('')}`;

test.each(await readdir(EXPLOITS))('the exploit %s is refused as the fault of the candidate', async (id) => {
  const { code, score, reason } = await judge(await readFile(join(EXPLOITS, id, 'solve.py')));
  expect([code, score]).toEqual([3, undefined]);
  expect(reason).toMatch(/expected/);
});

test('bytes that are no UTF-8 are refused as the fault of the candidate', async () => {
  const { code, reason } = await judge(Uint8Array.of(0xff, 0xfe));
  expect([code, reason]).toEqual([3, expect.stringContaining('expected a text in UTF-8')]);
});

const REFUSED: [string, string, string][] = [
  ['an attribute', solve('return ().__class__'), 'line 2: expected an expression of the language, got Attribute'],
  ['asarray', solve('return asarray(x)[0]'), 'got an index of Call'],
  ['tolist', solve('return x.tolist()'), 'expected a call of a function of this program, got Attribute'],
  ['memoryview', solve('v = memoryview(x)', 'return v'), "got 'memoryview'"],
  ['globals', solve('return globals()'), "got 'globals'"],
  ['eval', solve('return eval(1)'), "got 'eval'"],
  ['getattr', solve('return getattr(x, 1)'), "got 'getattr'"],
  ['an array as a value', solve('a = x', 'return a'), "expected a variable or a constant, got 'x'"],
  ['a name of Python', solve('return __builtins__'), "got '__builtins__'"],
  ['an import', `import os\n${solve('return 0')}`, 'line 1: expected NAME = constant'],
  ['an import inside', solve('import os', 'return 0'), 'got Import'],
  ['a format string', solve('return f"{x}"'), 'got JoinedStr'],
  ['a text', solve('return "x" * 9'), 'expected an integer, got str'],
  ['a fraction', solve('return 1.0'), 'expected an integer, got float'],
  ['True', solve('return True'), 'expected an integer, got bool'],
  ['an exception', solve('try:', '    pass', 'finally:', '    pass'), 'got Try'],
  ['a generator', solve('yield 1'), 'Yield'],
  ['a comprehension', solve('return [i for i in range(3)]'), 'got ListComp'],
  ['a lambda', solve('return (lambda: 1)()'), 'got Lambda'],
  ['a decorator', `@vars\n${solve('return 0')}`, 'expected def name(a, b)'],
  ['a default argument', `def f(a=1):\n    return a\n${solve('return f(1)')}`, 'expected def name(a, b)'],
  ['a walrus', solve('return (a := 1)'), 'got NamedExpr'],
  ['global', solve('global N', 'return 0'), 'got Global'],
  ['a class', `class A:\n    pass\n${solve('return 0')}`, 'line 1: expected NAME = constant'],
  ['with', solve('with x:', '    pass'), 'got With'],
  ['async', 'async def solve():\n    return 0\n', 'line 1: expected NAME = constant'],
  ['del', solve('del x[0]'), 'got Delete'],
  ['unpacking', solve('a, b = 1, 2', 'return a'), 'got Tuple'],
  ['a slice', solve('return x[0:9]'), 'got Slice'],
  ['a power', solve('return 2 ** 9'), 'expected an operator of the language, got Pow'],
  ['a huge constant', `A = 1 << 64\n${solve('return A')}`, 'expected a shift by 0 to 63 bits, got 64'],
  ['a huge literal', solve(`return 0x${'f'.repeat(9999)}`), 'expected integers of 64 bits'],
  ['a huge product', solve('a = 1 << 62', 'return a * a'), 'line 3: expected integers of 64 bits'],
  ['a division by zero', solve('return 1 // (y[0] - y[0])'), 'expected a divisor other than 0'],
  ['an index too large', solve('return x[M * N]'), 'expected an index of x from 0 to 1279, got 1280'],
  ['a negative index', solve('return x[-1]'), 'expected an index of x from 0 to 1279, got -1'],
  ['another name for an input', `x = array(4)\n${solve('return 0')}`, "expected another name than 'x'"],
  ['a variable with the name of a constant', solve('N = 1', 'return N'), "expected another name than 'N'"],
  ['two parameters of one name', `def f(a, a):\n    return a\n${solve('return f(1, 2)')}`, 'with different names'],
  ['a step of zero', solve('for i in range(0, 9, 0):', '    pass'), 'expected a step other than 0'],
  ['break outside of a loop', solve('break'), 'inside a loop'],
  ['no solve', 'A = 1\n', 'expected a function def solve()'],
  ['parameters of solve', 'def solve(x1):\n    return 0\n', 'expected a function def solve()'],
  ['nothing', '', 'expected a function def solve()'],
  ['a program of another language', 'const solve = () => 0;\n', 'line 1:'],
  ['a null byte', solve('return 0\0'), 'null bytes'],
  ['a long text', `#${'x'.repeat(16_384)}`, 'expected a program of at most 16384 bytes'],
  ['many parentheses', solve(`return ${'('.repeat(5000)}1${')'.repeat(5000)}`), 'line 2:'],
  ['many signs', solve(`return ${'-'.repeat(15_000)}1`), 'expected'],
  ['many attributes', solve(`return x${'.a'.repeat(7000)}`), 'expected at most 40 levels of nesting'],
  ['many sums', solve(`return 1${' + 1'.repeat(3000)}`), 'expected at most 40 levels of nesting'],
  ['a loop without end', solve('while 1:', '    pass'), 'expected at most 200000 steps'],
  ['statements that do nothing', solve('while 1:', `    ${'pass;'.repeat(3000)}`), 'expected at most 200000 steps'],
  ['a count without end', solve('for i in range(1 << 62):', '    pass'), 'expected at most 200000 steps'],
  [
    'deep reads without end',
    solve('while 1:', '    for i in range(M * N):', '        y[0] = x[i]'),
    'expected a cost of at most 50000 in',
  ],
  ['a recursion without end', `def f(n):\n    return f(n + 1)\n${solve('return f(0)')}`, 'nested at most 32 deep'],
  ['calls nested in calls', nested(), 'nested at most 32 deep'],
];

test('an answer that is right by luck is a guess', async () => {
  const { code, reason } = await judge(await readFile(join(EXPLOITS, 'lucky-answer/solve.py')));
  expect([code, reason]).toEqual([3, expect.stringMatching(/^expected 16 answers proved by .* got \d+ guesses$/)]);
});

/** Reasons for which these texts are refused, by one process. Steps and cost are limited to less than in trials. */
function reasonsOf(texts: string[]): string[] {
  const program = [
    'import json, sys',
    'import judge',
    'from tracked.rules import LIMITS',
    'LIMITS.update(steps=200_000, cost=50_000)',
    'problems = judge.draw("1")',
    'def reason_of(text):',
    '    try:',
    '        return "scored: %s" % judge.judge(text, problems)',
    '    except judge.Fault as fault:',
    '        return str(fault)',
    'print(json.dumps([reason_of(text) for text in json.load(sys.stdin)]))',
  ];
  const options = { cwd: join(TASK, 'evaluator'), input: JSON.stringify(texts) };
  return JSON.parse(execFileSync('python3', ['-B', '-c', program.join('\n')], options).toString()) as string[];
}

const reasons = reasonsOf(REFUSED.map(([, text]) => text));

test.each(REFUSED.map(([name, , reason], i) => [name, reason, reasons[i]]))(
  '%s is refused with its reason',
  (_, reason, seen) => expect(seen).toContain(reason),
);

/** A recursion whose every level is nested as deeply as the language allows. */
function nested(): string {
  const expression = Array.from({ length: 16 }, (_, i) => i).reduce(
    (text, i) => (i % 2 ? `(1 + ${text})` : `-${text}`),
    'f(n + 1)',
  );
  const loops = Array.from({ length: 14 }, (_, i) => `    ${' '.repeat(i)}for i${i} in range(1):\n`).join('');
  return `def f(n):\n${loops}    ${' '.repeat(14)}return ${expression}\n${solve('return f(0)')}`;
}
