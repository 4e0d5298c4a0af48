import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPostgres } from '../../../infra/postgres/embedded.ts';
import { commandLine } from '../../../infra/process/identity.ts';

test('no command line of its processes shows a port of its own or a folder', async () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-postgres-line-'));
  chmodSync(home, 0o755);
  const server = await startPostgres({ dir: join(home, 'postgres'), logFile: join(home, 'postgres.log'), port: null });
  try {
    const { pid } = server.process;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    // A connection's process may have ended meanwhile.
    const lines = [pid, ...children].map(commandLine).filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      expect(line).toMatch(/^postgres(:| -c listen_addresses=127\.0\.0\.1 )/);
      for (const told of [server.dataDir, home, String(server.port)]) expect(line).not.toContain(told);
    }
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
});
