import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { postgresCommand } from '../../../cli/up/postgres-command.ts';

const home = mkdtempSync(join(tmpdir(), "it's a home "));
afterAll(() => rmSync(home, { recursive: true }));
const url = 'postgres://perpetua:secret@127.0.0.1:54329/perpetua';

/** Arguments that `psql` gets if a shell runs the line. */
const given = (line: string, cwd: string) =>
  execFileSync('sh', ['-c', line.replace(/^psql/, 'printf %s')], { cwd, encoding: 'utf8' });

test('the command for the embedded Postgres works and contains no password', () => {
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

test('a Postgres that the environment names is shown by its address, without the password', () => {
  expect(postgresCommand({ home, databaseUrl: url }, url)).toBe('postgres://perpetua@127.0.0.1:54329/perpetua');
});
