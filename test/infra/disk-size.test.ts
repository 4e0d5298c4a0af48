import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskSizeMb } from '../../infra/files.ts';

test('the disk of a folder that is still to be made is that of the nearest one there is', async () => {
  const { blocks, bsize } = statfsSync(tmpdir());
  const size = await diskSizeMb(tmpdir());
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThanOrEqual((blocks * bsize) / 1024 / 1024);
  expect(await diskSizeMb(join(tmpdir(), 'not', 'made', 'yet'))).toBeGreaterThan(0);
});

test('a file system that has no size says nothing', async () => {
  expect(await diskSizeMb('/proc')).toBeNull();
});
