import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../infra/process/free-port.ts';
// @ts-expect-error This file runs before anything is compiled, hence without types.
import { findPgbouncer } from '../../../scripts/test-tools/pgbouncer.mjs';

const found = (findPgbouncer as () => { path?: string; libraryPath?: string; reason?: string })();

/** Reason why there is no pgbouncer here; undefined if there is one. */
export const noPgbouncer = found.reason;

/** Settings of pgbouncer.ini, such as `pool_mode`. */
type PgbouncerSettings = Readonly<Record<string, string | number>>;

export interface Pgbouncer {
  /** The URL of a database through the pooler. */
  through: (url: string) => string;
  stop: () => Promise<void>;
}

/** Starts a real pgbouncer before the server of a URL. It knows only the user of that URL. */
export async function startPgbouncer(serverUrl: string, settings: PgbouncerSettings): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-pgbouncer-'));
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const port = await freePort(null);
  const users = join(folder, 'users.txt');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    ['[databases]', `* = host=${hostname} port=${serverPort}`, '[pgbouncer]', ...lines, ''].join('\n'),
  );
  const program = spawn(found.path ?? 'pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
    env: { ...process.env, LD_LIBRARY_PATH: found.libraryPath ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await untilUp(program);
  return {
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    stop: async () => {
      program.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves with the pooler's first line that says that it is up; its log is read on, so that it never blocks. */
function untilUp(program: ChildProcess): Promise<void> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    if (program.stderr)
      createInterface({ input: program.stderr }).on('line', (line) => {
        lines.push(line);
        if (line.includes('process up')) resolve();
      });
    program.once('error', reject);
    program.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${lines.slice(-5).join('\n')}`)));
  });
}
