import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PLAIN_OUTPUT } from '../../plain-output.ts';
import { once } from '../run-protocol/once.ts';

const run = promisify(execFile);
/** Limit of one call, in ms. The script ends programs that hang long before. */
const TIMEOUT_MS = 120_000;
const SCRIPT = fileURLToPath(new URL('./tools.sh', import.meta.url));
const script = once(() => readFile(SCRIPT, 'utf8'));

/** Command that keeps only variables which the search needs, and so no key, password or address of a database. */
const CLEAN = `exec env -i ${['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'PYENV_ROOT']
  .map((name) => `${name}="\${${name}:-}"`)
  .join(' ')} LC_ALL=${PLAIN_OUTPUT.LC_ALL} /bin/sh -c "$@"`;

/** Runs a function of tools.sh on this machine, and returns the lines that it printed. */
export async function runToolsLocally(words: string[]): Promise<string[]> {
  const { stdout } = await run('/bin/sh', ['-c', CLEAN, 'sh', `${await script()}\n"$@"`, 'sh', ...words], {
    cwd: '/',
    timeout: TIMEOUT_MS,
    maxBuffer: 4 * 1024 * 1024,
  });
  return stdout.split('\n').filter((line) => line !== '');
}
