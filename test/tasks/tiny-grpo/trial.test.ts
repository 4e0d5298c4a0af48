import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Task } from '../../../domain/task/task.ts';
import { installation, score, TASK, train } from './candidate.ts';

const at = installation();
afterAll(() => rmSync(at, { recursive: true, force: true }));
const task = Task.parse(parse(readFileSync(join(TASK, 'task.yaml'), 'utf8')));
const base = readFileSync(join(at, 'workspace/base.json'), 'utf8');
const size = (JSON.parse(base) as number[]).length;

describe('the unmodified version', () => {
  const { output, policy } = train(at, { seconds: 0.4 });

  test('starts from a base policy that solves a third, and improves it', () => {
    const before = score(at, base).score?.accuracy ?? 0;
    const after = score(at, policy).score?.accuracy ?? 0;
    expect(Math.abs(before - 1 / 3)).toBeLessThan(0.06);
    expect(after).toBeGreaterThan(before);
  });

  test('leaves the same policy for the same seed, and another one for another', () => {
    const policies = [3, 3, 4].map((seed) => train(at, { seed, seconds: 0.1 }).policy);
    expect(policies[0]).toBe(policies[1]);
    expect(policies[0]).not.toBe(policies[2]);
  });

  test('prints lines that the task reads', () => {
    const pattern = new RegExp(task.progress?.pattern ?? '');
    const points = output
      .trim()
      .split('\n')
      .map((line) => pattern.exec(line)?.groups);
    expect(points.length).toBeGreaterThan(10);
    expect(points.every((point) => Number(point?.step) > 0 && Number(point?.value) <= 1)).toBe(true);
    expect(points.at(-1)?.share).toBe('1.000');
  });
});

describe('the evaluator', () => {
  test('asks other questions for another seed', () => {
    const scores = ['a', 'a', 'b'].map((seed) => score(at, base, seed).score);
    expect(scores[0]).toEqual(scores[1]);
    expect(scores[0]).not.toEqual(scores[2]);
  });

  test.each([
    ['no JSON', 'add, add', 'expected policy.json to be JSON'],
    ['an object', '{"parameters": [1]}', 'expected policy.json to be a list of numbers'],
    ['null', 'null', 'expected policy.json to be a list of numbers'],
    ['too few numbers', '[1, 2]', `expected ${size} parameters, got 2`],
    [
      'a text',
      JSON.stringify(Array.from({ length: size }, (_, i) => (i === 5 ? '1' : 1))),
      'got a value of type string',
    ],
    ['null in the list', JSON.stringify(Array.from({ length: size }, () => null)), 'got a value of type object at 0'],
    ['infinity', `[${Array.from({ length: size }, () => '1e999').join()}]`, 'got Infinity at 0'],
    [
      'a list that is nested deep',
      `[${['['.repeat(50_000) + ']'.repeat(50_000), ...Array.from({ length: size - 1 }, () => '1')].join()}]`,
      'got a value of type object at 0',
    ],
  ])('refuses %s as the fault of the candidate', (_, policy, reason) => {
    const { code, errors } = score(at, policy);
    expect(errors).toContain(reason);
    expect(code).toBe(3);
  });
});

test.each(readdirSync(join(TASK, 'exploits')))('the exploit %s is refused or gains nothing', (exploit) => {
  const { policy } = train(at, { exploit, seconds: 0.3 });
  const { code, score: result } = score(at, policy);
  expect([0, 3]).toContain(code);
  if (code === 0) expect(result?.accuracy).toBeLessThanOrEqual(score(at, base).score?.accuracy ?? 0);
});
