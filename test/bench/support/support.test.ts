import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quantile } from '../../../bench/support/quantile.ts';
import { formatTable } from '../../../bench/support/table.ts';
import { processesOf } from '../../../bench/support/processes-of.ts';

describe('a quantile', () => {
  test.each([
    [[1, 2, 3, 4], 0.5, 2.5],
    [[4, 1, 3, 2], 0.25, 1.75],
    [[10, 20, 30], 0.95, 29],
    [[5], 0.95, 5],
    [[9, 100, 1], 0, 1],
    [[9, 100, 1], 1, 100],
    [[1, Infinity, Infinity], 0.75, Infinity],
  ])('of %j at %s it is %s, as in NumPy', (values, p, expected) => {
    expect(quantile(values, p)).toBeCloseTo(expected, 12);
  });

  test('the values keep their order', () => {
    const values = [3, 1, 2];
    quantile(values, 0.5);
    expect(values).toEqual([3, 1, 2]);
  });

  test('no values, or a share in per cent, is refused', () => {
    expect(() => quantile([], 0.5)).toThrow('expected at least one value for a quantile, got none');
    expect(() => quantile([1], 95)).toThrow('expected a share from 0 to 1 for a quantile, got 95');
  });
});

describe('a table', () => {
  test('words align to the left, numbers to the right, unknown is a dash', () => {
    const text = formatTable(
      'Phases',
      ['phase', 'p50 ms', 'n'],
      [
        ['propose', 12.34567, 3],
        ['launch and wait', 7, 1200],
        ['score', null, 0],
      ],
    );
    expect(text).toBe(
      [
        'Phases',
        'phase            p50 ms     n',
        '-----            ------     -',
        'propose           12.35     3',
        'launch and wait       7  1200',
        'score                 –     0',
      ].join('\n'),
    );
  });

  test('a column that mixes words and numbers aligns to the left', () => {
    const text = formatTable('T', ['a', 'b'], [['x', 1], ['y', 'none']]); // prettier-ignore
    expect(text.split('\n').slice(3)).toEqual(['x  1', 'y  none']);
  });

  test('wide characters and values that are not finite keep the columns straight', () => {
    const text = formatTable(
      'T',
      ['name', 'value'],
      [
        ['学習率', NaN],
        ['lr', Infinity],
      ],
    );
    expect(text.split('\n').slice(3)).toEqual(['学習率       NaN', 'lr      Infinity']);
  });

  test('a row with a cell too few is refused', () => {
    expect(() => formatTable('T', ['a', 'b'], [['x']])).toThrow('expected 2 cells in each row of "T", got 1: x');
  });
});

test('the processes of a folder are those that name it in their arguments or work in it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-processes-'));
  const run = join(home, 'runs/one');
  mkdirSync(run, { recursive: true });
  const started = [
    spawn('sleep', ['60'], { cwd: run }),
    spawn('sh', ['-c', 'sleep 60; :', run], { cwd: '/', detached: true }),
    spawn('sleep', ['60'], { cwd: home }),
  ];
  try {
    const [inside, naming] = started.map(({ pid }) => String(pid));
    const found = () => processesOf(home).map((line) => line.split(':')[0]);
    // A new process has the arguments of its parent until it executes its program.
    await expect.poll(() => found().sort()).toEqual([inside, naming].sort());
    expect(processesOf(home, 'stages')).toEqual([]);
  } finally {
    process.kill(-(started[1]?.pid ?? 0));
    for (const child of started) child.kill();
    rmSync(home, { recursive: true });
  }
});
