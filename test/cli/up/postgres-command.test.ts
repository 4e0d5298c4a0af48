import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { postgresCommand } from '../../../cli/up/postgres-command.ts';

const home = mkdtempSync(join(tmpdir(), "it's a home "));
afterAll(() => rmSync(home, { recursive: true }));
const url = 'postgres://perpetua:secret@127.0.0.1:54329/perpetua';

/** What `psql` is given by a shell that takes over the line. */
const given = (line: string, cwd: string) =>
  execFileSync('sh', ['-c', line.replace(/^psql/, 'printf %s')], { cwd, encoding: 'utf8' });

test('the embedded Postgres is reached by a line that has no password and works', () => {
  writeFileSync(join(home, 'up.json'), JSON.stringify({ postgres: { url } }));
  const config = { home, databaseUrl: null };
  for (const cwd of [home, tmpdir(), '/']) {
    const line = postgresCommand(config, url, cwd);
    expect(line).not.toContain('secret');
    expect(given(line, cwd)).toBe(url);
  }
  expect(postgresCommand({ ...config, home: '/p/.perpetua' }, url, '/p')).toBe(
    `psql "$(node -p 'require("./.perpetua/up.json").postgres.url')"`,
  );
});

test('one that the environment names is shown by its address, without its password', () => {
  expect(postgresCommand({ home, databaseUrl: url }, url)).toBe('postgres://perpetua@127.0.0.1:54329/perpetua');
});
