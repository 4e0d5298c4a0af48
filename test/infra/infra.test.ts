import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withinTime } from '../../infra/within-time.ts';
import { diskSizeMb } from '../../infra/files.ts';

describe('a time limit', () => {
  test('returns the value of work that ends', () => {
    expect(withinTime(10_000, () => 'done')).toEqual({ done: true, value: 'done' });
  });

  test('throws the error of the work', () => {
    const error = new RangeError('own');
    expect(() =>
      withinTime(10_000, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  test.each([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a regular expression that backtracks for ever', () => /^(a+)+$/.test(`${'a'.repeat(60)}b`)],
  ])('interrupts %s that never ends, and the next work is done', (_name, work) => {
    expect(withinTime(50, work)).toEqual({ done: false });
    expect(withinTime(10_000, () => 1)).toEqual({ done: true, value: 1 });
  });
});

test('the disk of a folder that does not exist yet is that of its nearest existing parent', async () => {
  const { blocks, bsize } = statfsSync(tmpdir());
  const size = await diskSizeMb(tmpdir());
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThanOrEqual((blocks * bsize) / 1024 / 1024);
  expect(await diskSizeMb(join(tmpdir(), 'not', 'made', 'yet'))).toBeGreaterThan(0);
});

test('a file system without a size gives null', async () => {
  expect(await diskSizeMb('/proc')).toBeNull();
});
