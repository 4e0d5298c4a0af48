import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startPostgres } from '../../../infra/postgres/embedded.ts';
import { commandLine } from '../../../infra/process/identity.ts';

test('no command line of the processes of Postgres shows its port or a folder', async () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-postgres-line-'));
  chmodSync(home, 0o755);
  const server = await startPostgres({ dir: join(home, 'postgres'), logFile: join(home, 'postgres.log'), port: null });
  try {
    const { pid } = server.process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    // The process of a connection may have ended meanwhile.
    const lines = [pid, ...children].map(commandLine).filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      expect(line).toMatch(/^postgres(:| -c listen_addresses=127\.0\.0\.1 )/);
      for (const value of [server.dataDir, home, String(server.port)]) expect(line).not.toContain(value);
    }
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

describe('the user of Postgres', () => {
  const OS_USER = new URL('../../../infra/postgres/os-user.ts', import.meta.url).pathname;
  const compiled = OS_USER.replace('/infra/', '/dist/infra/').replace(/ts$/, 'js');
  /** A uid that no account has. */
  const NAMELESS = 65_300;

  test.skipIf(process.getuid?.() !== 0)('without a name is refused with advice before Postgres is started', () => {
    const program = `
    const { postgresUser } = await import(${JSON.stringify(compiled)});
    try { postgresUser(null); console.log('taken'); } catch (error) { console.log(error.message); }`;
    const words = [
      '--reuid',
      String(NAMELESS),
      '--clear-groups',
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ];
    const { stdout } = spawnSync('setpriv', words, { encoding: 'utf8' });
    expect(stdout).toMatch(/^Expected the user 65300 to have a name \(an entry in \/etc\/passwd\).*set DATABASE_URL/);
  });
});
