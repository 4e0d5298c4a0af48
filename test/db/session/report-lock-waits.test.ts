import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { migrate } from '../../../db/migrate.ts';
import { reportLockWaits } from '../../../db/session/report-lock-waits.ts';
import { makeDatabase } from '../../support/database/make-database.ts';
import { query } from '../reader/support.ts';

const server = inject('sharedPostgres');

/** Migrates while another session holds a lock; ends that session by the statement of the first message. */
async function migrateBeside(url: string, ...holding: string[]): Promise<{ lines: string[]; pid: number }> {
  const holder = new pg.Client({ connectionString: url, application_name: 'somebody' });
  holder.on('error', () => undefined);
  await holder.connect();
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  for (const statement of holding) await holder.query(statement);
  const lines: string[] = [];
  const onWait = (line: string): void => {
    lines.push(line);
    const [ending = ''] = /select pg_terminate_backend\(\d+\)/.exec(line) ?? [];
    void query(url, ending);
  };
  await reportLockWaits(url, onWait, () => migrate(url));
  return { lines, pid: rows[0]?.pid ?? 0 };
}

test.each([
  ['the lock of migrations', ['select pg_advisory_lock(7305118)'], 'idle'],
  ['a table, in an open transaction', ['begin', 'lock table installations'], 'idle in transaction'],
])('a start that waits for %s names its holder once, and goes on when it is free', async (_, holding, state) => {
  const url = await makeDatabase(server);
  await migrate(url);
  const { lines, pid } = await migrateBeside(url, ...holding);
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(
        `^the start waits for a lock in the database that process ${pid} of Postgres holds \\(application ` +
          `"somebody", user perpetua, from 127\\.0\\.0\\.1, since \\d{4}-\\d\\d-\\d\\d .* UTC, ${state}\\)`,
      ),
    ),
  ]);
});

test('a start that waits for nothing reports nothing', async () => {
  const lines: string[] = [];
  const url = await makeDatabase(server);
  expect(
    await reportLockWaits(
      url,
      (line) => lines.push(line),
      async () => migrate(url).then(() => 'migrated'),
    ),
  ).toBe('migrated');
  expect(lines).toEqual([]);
});
