import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCheckpoints } from '../../../infra/policy/checkpoints.ts';

const [ONE, TWO] = ['1'.repeat(64), '2'.repeat(64)];
let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'perpetua-checkpoints-'))));
afterEach(() => rm(home, { recursive: true }));

async function make(name: string): Promise<void> {
  await mkdir(join(home, 'checkpoints', name), { recursive: true });
  for (const file of ['weights', 'result.json']) await writeFile(join(home, 'checkpoints', name, file), 'four');
}

test('checkpoints are listed without the other folders beside them, and have a size', async () => {
  const checkpoints = openCheckpoints(home);
  expect(await checkpoints.list()).toEqual([]);
  await make(ONE);
  await make('.tmp-0123456789abcdef');
  expect(await checkpoints.list()).toEqual([ONE]);
  expect(await checkpoints.bytes(checkpoints.folder(ONE))).toBe(8);
  expect(await checkpoints.bytes(checkpoints.folder(TWO))).toBe(0);
});

test('checkpoints are removed, also if an earlier removal was interrupted', async () => {
  const checkpoints = openCheckpoints(home);
  for (const name of [ONE, `.old-${ONE}`, `.old-${TWO}`]) await make(name);
  expect(await checkpoints.list()).toEqual([ONE, TWO]);
  for (const key of [ONE, TWO, ONE]) await checkpoints.remove(key);
  expect(await readdir(join(home, 'checkpoints'))).toEqual([]);
});
