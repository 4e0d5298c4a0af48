import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { looseSegments, newSegments } from '../../../cli/attack/segments.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-segments-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = '       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid';
const row = (id: number, attached: number, user: number): string =>
  `         0 ${id}   600 ${2 ** 20} 11 12 ${attached} ${user} ${user} ${user} ${user} 1 0 1 4096 0`;

test('segments that nobody holds, of users that runs have, are named where they were not there before', async () => {
  const file = join(folder, 'shm');
  writeFileSync(file, `${HEAD}\n${row(1, 0, 61_300)}\n`);
  const before = await looseSegments(file);
  const rows = [row(1, 0, 61_300), row(2, 0, 61_300), row(3, 0, 61_301), row(4, 1, 61_300), row(5, 0, 101)];
  writeFileSync(file, `${HEAD}\n${rows.join('\n')}\n`);
  expect(newSegments(before, await looseSegments(file))).toEqual([
    '2 segments of shared memory (2 MiB, of user 61300, 61301; see ipcs -m)',
  ]);
  expect(newSegments(before, before)).toEqual([]);
});
