import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-deleted-'));
const program = join(folder, 'leave.mjs');
beforeAll(() => {
  const built = join(packageRoot(), 'dist', 'config', 'leave-deleted-folder.js');
  writeFileSync(
    program,
    `import { leaveDeletedFolder } from ${JSON.stringify(built)};
    const problem = leaveDeletedFolder(process.env, ...process.argv.slice(2).map((root) => () => root));
    console.log(JSON.stringify({ problem, folder: process.cwd() }));`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Result in a deleted folder; `root`: folder of the installed package, which is empty. */
function leave(env: Record<string, string>, ...root: string[]): unknown {
  const deleted = join(folder, 'deleted');
  mkdirSync(deleted);
  const script = 'cd "$1"; rmdir "$1"; shift; exec "$@"';
  const started = spawnSync('sh', ['-c', script, 'sh', deleted, process.execPath, program, ...root], {
    env: { ...process.env, PERPETUA_HOME: '', ...env },
    encoding: 'utf8',
  });
  expect(started.stderr).not.toContain('Error');
  return JSON.parse(started.stdout);
}

const REFUSED = {
  problem: expect.stringMatching(/^Expected the current folder to exist; it was deleted\./),
  folder: '/',
};
const LEFT = { problem: null, folder: '/' };

test.each([
  ['a clone, whose home lies there', {}, [], REFUSED],
  ['a clone with an absolute home', { PERPETUA_HOME: '/elsewhere' }, [], LEFT],
  ['an installed package, whose home lies in that of the user', { HOME: '/home/someone' }, [folder], LEFT],
  ['an installed package with a relative home', { PERPETUA_HOME: 'here' }, [folder], REFUSED],
])('in a deleted folder: %s', (_name, env, root, result) => {
  expect(leave(env, ...root)).toEqual(result);
});
