import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { costsOf } from '../../../cli/attack/costs.ts';
import { TASK } from '../support/lineage.ts';
import { readUnattachedSegments, describeNewSegments } from '../../../cli/attack/unattached-segments.ts';
import { tolerateOutage } from '../../../cli/attack/run-attacks.ts';

describe('the costs of an attack', () => {
  test('name the longest time, by the limit of the runs', () => {
    // Three runs of the unmodified workspace, each of at most 6 × budget.
    const run = { ...TASK.run, budget: { ...TASK.run.budget, kind: 'reference' as const, seconds: 100 } };
    expect(costsOf([], { ...TASK, run })).toMatch(/in 3 runs.* about 5 min on slots.* at most 30 min/);
  });
});

describe('shared memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-segments-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const HEAD = '       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid';
  const row = (id: number, attached: number, user: number): string =>
    `         0 ${id}   600 ${2 ** 20} 11 12 ${attached} ${user} ${user} ${user} ${user} 1 0 1 4096 0`;

  test('new segments that no process holds, of users of runs, are named', async () => {
    const file = join(folder, 'shm');
    writeFileSync(file, `${HEAD}\n${row(1, 0, 61_300)}\n`);
    const before = await readUnattachedSegments(file);
    const rows = [row(1, 0, 61_300), row(2, 0, 61_300), row(3, 0, 61_301), row(4, 1, 61_300), row(5, 0, 101)];
    writeFileSync(file, `${HEAD}\n${rows.join('\n')}\n`);
    expect(describeNewSegments(before, await readUnattachedSegments(file))).toEqual([
      '2 segments of shared memory (2 MiB, of user 61300, 61301; see ipcs -m)',
    ]);
    expect(describeNewSegments(before, before)).toEqual([]);
  });
});

describe('a Postgres that is away', () => {
  test('is waited for, and reported once', async () => {
    const written: string[] = [];
    const out = { write: (text: string) => written.push(text) > 0 };
    const answers: (string | Error)[] = [gone(), gone(), 'back', gone(), 'back', new Error('syntax error')];
    const read = tolerateOutage({ stdout: out, stderr: out }, () => {
      const next = answers.shift() ?? '';
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    });
    const found = [await read(), await read(), await read(), await read(), await read()];
    expect(found).toEqual([null, null, 'back', null, 'back']);
    expect(written).toEqual(Array(2).fill('Postgres does not answer; waiting for it\n'));
    await expect(read()).rejects.toThrow('syntax error');
  });

  const gone = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
});
