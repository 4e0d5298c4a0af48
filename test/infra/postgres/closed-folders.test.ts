import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-closed-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Starts and stops Postgres under umask 077 on a machine with an empty /var/lib; returns the path of its data. */
function startWithin(prepare: string): string {
  const script = `import { startPostgres } from '${join(packageRoot(), 'dist/infra/postgres/embedded.js')}';
    const options = { dir: '${home}/postgres', logFile: '${home}/postgres.log', port: null };
    const { dataDir, stop } = await startPostgres(options);
    await stop();
    console.log(dataDir);`;
  // A mount namespace has a /var/lib of its own.
  const shell = `umask 077; mount -t tmpfs -o mode=755 none /var/lib && ${prepare} && exec "$@"`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const args = ['--mount', 'sh', '-c', shell, 'sh'].concat(node);
  return execFileSync('unshare', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
}

test.runIf(process.getuid?.() === 0)(
  'under umask 077 Postgres starts in a home of root, also after a start that closed its folder',
  () => {
    expect(startWithin('mkdir /var/lib/perpetua')).toMatch(/^\/var\/lib\/perpetua\/\w+\/data$/);
    rmSync(join(home, 'postgres'), { recursive: true });
    // A folder that is not Perpetua's is named.
    expect(() => startWithin('chmod 700 /var/lib')).toThrow(
      /to be able to enter \S+; \/var\/lib is closed to that user. Run chmod o\+x \/var\/lib, or set DATABASE_URL/,
    );
  },
);
