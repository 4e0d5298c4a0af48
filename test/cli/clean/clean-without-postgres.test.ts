import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleanWithoutPostgres } from '../../../cli/clean/clean-without-postgres.ts';
import { homePaths } from '../../../config/paths.ts';

const AWAY = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
const FULL = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });

let home: string;
let log: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-without-'));
  const { logs } = homePaths(home);
  log = join(logs, 'worker.log.1');
  await mkdir(logs);
  await writeFile(log, '');
  await utimes(log, 1, 1);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const cleaned = (error: unknown, freeMb: number, dryRun = false) =>
  cleanWithoutPostgres(error, { home, olderThanSeconds: 3600, dryRun }, () => Promise.resolve(freeMb));

test.each([
  ['is away', AWAY],
  ['has no space', FULL],
])(
  'if Postgres %s and the disk is full, a clean removes what nothing can need, and says what to do',
  async (_, error) => {
    const failure = await cleaned(error, 10);
    expect(existsSync(log)).toBe(false);
    expect(failure).toMatchObject({
      code: 'unreachable',
      result: { dryRun: false, logs: ['worker.log.1'] },
    });
    const { runs } = homePaths(home);
    expect(failure.message).toContain(
      `The disk has 10 MiB free, which may be why. Removed 1 rotated log. Only Postgres has the list of needed runs`,
    );
    expect(failure.message).toContain(`remove the largest folders of ${runs} first`);
  },
);

test('a clean says the same again if nothing is left to remove', async () => {
  await cleaned(AWAY, 10);
  const failure = await cleaned(AWAY, 300);
  expect(failure.message).toMatch(/The disk has 300 MiB free, which may be why\. Only Postgres/);
});

test('a clean removes nothing on a dry run, with free space, or for another error', async () => {
  expect((await cleaned(AWAY, 10, true)).message).toMatch(/Would remove 1 rotated log\./);
  expect((await cleaned(AWAY, 5000)).message).toMatch(/^Cannot reach Postgres: .*DATABASE_URL and PERPETUA_HOME\.$/);
  expect(await cleaned(new Error('a bug'), 10)).toMatchObject({ code: 'failed', message: 'a bug' });
  expect(existsSync(log)).toBe(true);
});
