import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judge, TASK, withKnobs } from './judge.ts';

interface Executed {
  answer: number;
  cost: number;
  reads: number;
}

/** Executes a program without problems: y = [5, 6], x = [7, 8]. Returns answer, cost and reads. */
function run(...lines: string[]): Executed {
  const program = [
    'import json, sys',
    'from tracked.program import Budget, Program',
    'program = Program(sys.stdin.read(), {"N": 2}, [("y", 2), ("x", 2)])',
    'answer, memory = program.run([5, 6, 7, 8], Budget())',
    'print(json.dumps({"answer": answer, "cost": memory.cost, "reads": memory.reads}))',
  ];
  const options = { cwd: join(TASK, 'evaluator'), input: `${lines.join('\n')}\n` };
  return JSON.parse(execFileSync('python3', ['-B', '-c', program.join('\n')], options).toString()) as Executed;
}

const root = (...positions: number[]) => positions.reduce((sum, position) => sum + Math.sqrt(position), 0);

test('a read costs the square root of its position in the stack, and moves its cell to the top', () => {
  // y[0] y[1] x[0] x[1] at first. x[1] is fourth, then first; y[0] is second, x[0] then fourth.
  const { answer, cost, reads } = run('def solve():', '    return x[1] * 1000 + x[1] * 100 + y[0] * 10 + x[0]');
  expect(answer).toBe(8000 + 800 + 50 + 7);
  expect(reads).toBe(4);
  expect(cost).toBeCloseTo(root(4, 1, 2, 4), 12);
});

test('a write costs nothing and moves its cell to the top', () => {
  const { answer, cost } = run('def solve():', '    a = 3', '    b = 4', '    x[0] = 9', '    return a + b + x[0]');
  expect(answer).toBe(16);
  // The stack is x[0] b a; then a is third, b third, x[0] third.
  expect(cost).toBeCloseTo(root(3, 3, 3), 12);
});

test('arguments are written and parameters are read, while results and constants are free', () => {
  const { answer, cost } = run(
    'C = 2 * N + 1',
    'def f(p):',
    '    return p + p + C',
    'def solve():',
    '    return f(4) + f(1)',
  );
  expect(answer).toBe(13 + 7);
  expect(cost).toBeCloseTo(root(1, 1, 1, 1), 12);
});

test('an untouched cell holds 0 and lies below all others', () => {
  const { answer, cost } = run('far = array(100)', 'def solve():', '    return far[50] + far[50]');
  expect(answer).toBe(0);
  expect(cost).toBeCloseTo(root(5, 1), 12);
});

test('inputs prove an answer if they are read before any write, and only together with their labels', () => {
  const program = [
    'import json',
    'from problems import CONSTANTS, INPUTS, M, N, draw',
    'from tracked.program import Budget, Program',
    'def proves(samples, body):',
    '    text = "def solve():\\n    for i in range(%d):\\n        %s\\n    return 0\\n" % (samples, body)',
    '    answer, memory = Program(text, CONSTANTS, INPUTS).run(problem.inputs, Budget())',
    '    return problem.proves(memory.seen)',
    'problem = draw("1", 1)[0]',
    'rows = "for j in range(N): a = %s + x[i * N + j]"',
    'overwritten = "for j in range(N): x[i * N + j] = 0; a = y[i] + x[i * N + j]"',
    'bodies = [rows % "y[i]", rows % "0", overwritten, "a = y[i]"]',
    'print(json.dumps([proves(40, body) for body in bodies] + [proves(5, bodies[0])]))',
  ];
  const options = { cwd: join(TASK, 'evaluator') };
  const proved = JSON.parse(execFileSync('python3', ['-B', '-c', program.join('\n')], options).toString()) as boolean[];
  expect(proved).toEqual([true, false, false, false, false]);
});

test('the language computes as Python does', () => {
  const body = [
    '    total = 0',
    '    for i in range(10, 0, -3):',
    '        if i == 4:',
    '            continue',
    '        total += i if i % 2 == 0 or i > 8 else -(i // 2)',
    '    while not total < 5:',
    '        total -= 1',
    '        if total == 6:',
    '            break',
    '    return (total << 3 ^ ~total & 5 | 1) * 2 >> 1',
  ];
  const python = `def solve():\n${body.join('\n')}\nprint(solve())`;
  expect(run('def solve():', ...body).answer).toBe(Number(execFileSync('python3', ['-c', python]).toString()));
});

test('the unmodified program has a cost near 95,200, which hardly depends on the draw', async () => {
  const text = await withKnobs({});
  const costs = [];
  for (const seed of [1, 2, 3]) costs.push((await judge(text, seed)).score?.cost ?? 0);
  for (const cost of costs) expect(Math.abs(cost / 95_200 - 1)).toBeLessThan(0.03);
  expect(costs[0]).not.toBe(costs[1]);
  expect((await judge(text, 1)).score?.cost).toBe(costs[0]);
});

test('knobs and a program by hand reach the values of the README', async () => {
  const knobs = await withKnobs({ SAMPLES: 10, WORD: 10, CONFIRM: 16, GATHER: 1, HOIST: 1 });
  expect((await judge(knobs)).score?.cost).toBeLessThan(12_000);
  expect((await judge(await readFile('test/tasks/sparse-parity/rows.py'))).score?.cost).toBeLessThan(7_400);
});
