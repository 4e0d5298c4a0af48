import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOWHERE, run } from '../support/cli.ts';

// Postgres and Temporal are unreachable: a command that begins to start the research ends with code 3.
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'perpetua-start-git-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const start = (argv: string[], more: Record<string, string> = {}) =>
  run(['start', ...argv], {
    env: { DATABASE_URL: `postgres://x@${NOWHERE}/x`, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: root, ...more },
  });

test('start with --git and a suitable repository goes on to Temporal; the control of the next tests', async () => {
  expect((await start(['lr-knob', '--git', join(root, 'new')])).code).toBe(3);
});

test('a folder of files that is no repository is refused before anything starts, in any language', async () => {
  const folder = join(root, 'files');
  await mkdir(folder);
  await writeFile(join(folder, 'mine'), 'x');
  const { code, stderr } = await start(['lr-knob', '--git', folder], { LANG: 'de_DE.UTF-8', LANGUAGE: 'de' });
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/holds files and is in no repository. Run git init there/) as string,
  });
  expect(await readdir(folder)).toEqual(['mine']);
});

test('a machine without Git is refused before anything starts', async () => {
  const { code, stderr } = await start(['lr-knob', '--git', join(root, 'never')], { PATH: '/nonexistent' });
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Expected git on the PATH, found none: install it.\n' });
});

test('--git alone needs a source in a repository, and makes no task otherwise', async () => {
  const source = join(root, 'program');
  await mkdir(source);
  await writeFile(join(source, 'main.sh'), 'echo "loss: 1"\n');
  const made = join(root, 'made');
  const options = ['--run', 'sh main.sh', '--metric', 'loss', '--minimize', '--out', made];
  const { code, stderr } = await start(['--source', source, ...options, '--git']);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Expected --git REPO, .* got --git alone. Nothing was started./) as string,
  });
  expect(existsSync(made)).toBe(false);
});

test("a branch that is checked out, or that ends with a person's commit, is refused before the start", async () => {
  const repository = join(root, 'own');
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' });
  await mkdir(repository);
  git('init', '--quiet', '-b', 'perpetua/lr-knob');
  git('-c', 'user.name=me', '-c', 'user.email=me@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'mine');
  const ofPerson = await start(['lr-knob', '--git', repository]);
  expect(ofPerson).toMatchObject({ code: 2, stderr: expect.stringContaining('that Perpetua did not make') as string });
  git('checkout', '--quiet', '--orphan', 'perpetua/other');
  const checkedOut = await start(['lr-knob', '--id', 'other', '--git', repository]);
  expect(checkedOut).toMatchObject({ code: 2, stderr: expect.stringContaining('not to be checked out') as string });
});
