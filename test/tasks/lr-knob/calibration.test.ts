import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Task } from '../../../domain/task/task.ts';
import {
  errorOf,
  REFERENCE,
  TASK,
  tableLines,
  trained,
  worthOf,
  worthOfRandom,
} from '../../../bench/tasks/lr-knob/calibration.ts';

const RUNS = 60;
const at = (lr: number) => worthOf({ lr }, RUNS);

describe('the worth of a learning rate', () => {
  test('is about .6 at best, near .2, and falls on both sides', () => {
    const rates = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.15, 0.2];
    const means = rates.map((lr) => at(lr).mean);
    expect(means).toEqual(means.toSorted((a, b) => a - b));
    expect(means.at(-1)).toBeGreaterThan(0.5);
    expect(means.at(-1)).toBeLessThan(0.7);
    expect(at(0.1).mean).toBeLessThan(0.4);
    expect(at(0.1).mean).toBeGreaterThan(0.2);
    expect(at(0.3).mean).toBeLessThan(-0.8);
  });

  test('is 0 at .01, the reference rate', () => {
    expect(Math.abs(at(0.01).mean)).toBeLessThan(0.05);
    const errors = trained({ lr: 0.01 }, 400).map((parameters) => errorOf(parameters ?? []));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeCloseTo(REFERENCE, 4);
  });

  test('is at .01, without modification, what the references of the task assume as baseline', async () => {
    const { references = [] } = Task.parse(parse(await readFile(join(TASK, 'task.yaml'), 'utf8')));
    const { mean } = worthOf({ lr: 0.01 }, 1000);
    expect(references.map(({ name }) => name)).toEqual(['best constant', 'at random']);
    for (const { baseline } of references) expect(Math.abs((baseline ?? NaN) - mean)).toBeLessThan(0.005);
  });

  test('is clearly negative on average for a random rate', () => {
    expect(worthOfRandom(50, 10)).toBeLessThan(-0.3);
  });

  test('is −1 if the run diverges, as with every rate of 1 or more', () => {
    for (const lr of [1, 3, 10]) expect(at(lr)).toEqual({ mean: -1, sd: 0, diverged: 1 });
    expect(at(0.2).diverged).toBe(0);
  });

  test('is more with momentum', () => {
    expect(worthOf({ lr: 0.1, momentum: 0.9 }, RUNS).mean).toBeGreaterThan(at(0.2).mean + 0.2);
  });
});

test('the table of the README is the output of `npx tsx bench/tasks/lr-knob.ts`', async () => {
  const readme = await readFile(join(TASK, 'README.md'), 'utf8');
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  const rows = readme.split('\n').map(cells);
  for (const line of tableLines().filter((line) => !line.includes('---'))) expect(rows).toContainEqual(cells(line));
});
