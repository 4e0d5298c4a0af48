import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../db/schema.ts';
import { useDatabase } from '../../db/support.ts';
import { NOWHERE, run, runOn } from '../support/cli.ts';
import { BASELINE, insertStory } from '../support/lineage.ts';

const bench = useDatabase();
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'perpetua-git-'));
  await insertStory(bench.db, 'toy');
});
afterAll(() => rm(root, { recursive: true, force: true }));

const IDENTITY = ['-c', 'user.name=me', '-c', 'user.email=me@example.com'];
const gitIn =
  (folder: string) =>
  (...args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
const perpetua = (...argv: string[]) => runOn(bench.url, argv);
const BRANCH = 'perpetua/toy';

test('a folder becomes a repository in which each claim is a commit, and a repeat makes none', async () => {
  const out = join(root, 'made');
  const first = await perpetua('git', '--out', out);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toBe(
    'perpetua/toy  claim 0  the unmodified version\nperpetua/toy  claim 1  toy/4  LR 0.1 → 0.05\n',
  );
  const git = gitIn(out);
  expect(git('log', '--format=%an|%s', BRANCH)).toBe('Perpetua|LR 0.1 → 0.05\nPerpetua|The unmodified version of toy');
  expect(git('log', '-1', '--format=%B', BRANCH)).toContain(
    'loss 1.50 bits, a gain of +0.70 over the unmodified version (2.20)',
  );
  expect(git('ls-tree', '-r', '--format=%(objectmode) %(path)', BRANCH)).toBe('100755 bin/run.sh\n100644 train.mjs');
  expect(git('diff', '--stat=80', `${BRANCH}~`, BRANCH)).toContain('train.mjs | 2 +-');
  const tip = git('rev-parse', BRANCH);
  const again = await perpetua('git', '--out', out);
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: `note: ${BRANCH} in ${out} has every claim of toy\n` });
  // Simulates a command that died before it moved the branch.
  git('update-ref', `refs/heads/${BRANCH}`, `${BRANCH}~`);
  expect((await perpetua('git', '--out', out, '--json')).json()).toMatchObject([
    { branch: BRANCH, claim: 1, trialId: 'toy/4' },
  ]);
  expect(git('rev-parse', BRANCH)).toBe(tip);
});

const GERMAN = '/usr/share/locale/de/LC_MESSAGES/git.mo';
test.skipIf(!existsSync(GERMAN))('a Git that speaks German writes the same commits', async () => {
  const env = { DATABASE_URL: bench.url, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: '/nonexistent' };
  const language = { LANG: 'de_DE.UTF-8', LC_ALL: 'C.UTF-8', LANGUAGE: 'de' };
  const out = join(root, 'german');
  await mkdir(out);
  // The control: without a change, Git would answer in German.
  const asked = spawnSync('git', ['rev-parse'], { cwd: out, env: { PATH: process.env['PATH'] ?? '', ...language } });
  expect(String(asked.stderr)).toContain('Kein Git-Repository');
  const { code, stderr } = await run(['git', 'toy', '--out', out], { env: { ...env, ...language } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await expectEachClaimOnce(out);
});

test("a person's repository gets a branch on the checked-out commit; working tree and index stay", async () => {
  const repository = join(root, 'own');
  await mkdir(join(repository, 'code'), { recursive: true });
  const git = gitIn(repository);
  git('init', '--quiet', '-b', 'main');
  await writeFile(join(repository, 'code/train.mjs'), 'const LR = 0.1;\n');
  await writeFile(join(repository, 'README.md'), 'mine\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Mine');
  await writeFile(join(repository, 'code/train.mjs'), 'const LR = 0.2; // under way\n');
  await writeFile(join(repository, 'staged.txt'), 'staged\n');
  git('add', 'staged.txt');
  const before = git('status', '--porcelain');
  expect((await perpetua('git', 'toy', '--out', repository, '--path', 'code/')).code).toBe(0);
  expect(git('status', '--porcelain')).toBe(before);
  expect(await readFile(join(repository, 'code/train.mjs'), 'utf8')).toContain('under way');
  expect(git('show', `${BRANCH}:code/train.mjs`)).toBe('const LR = 0.05;');
  expect(git('show', `${BRANCH}:README.md`)).toBe('mine');
  expect(git('merge-base', 'main', BRANCH)).toBe(git('rev-parse', 'main'));

  const taken = { researchId: 'toy', candidateId: BASELINE, value: 2.2, n: 3, reason: 'taken back' };
  await bench.db.insert(claims).values({ ...taken, seq: 2, by: 'a person' });
  git('checkout', '--quiet', '--force', BRANCH);
  const out = await perpetua('git', 'toy', '--out', repository, '--path', 'code');
  expect(out).toMatchObject({ code: 2, stderr: expect.stringContaining('git checkout --detach') as string });
  git('checkout', '--quiet', '--detach');
  expect((await perpetua('git', 'toy', '--out', repository, '--path', 'code')).code).toBe(0);
  expect(git('log', '-1', '--format=%s', BRANCH)).toBe('Back to the unmodified version of toy');
  expect(git('show', `${BRANCH}:code/train.mjs`)).toBe('const LR = 0.1;');

  git('checkout', '--quiet', BRANCH);
  git('commit', '--quiet', '--allow-empty', '-m', 'My own');
  git('checkout', '--quiet', '--detach');
  const foreign = await perpetua('git', 'toy', '--out', repository, '--path', 'code');
  expect(foreign).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it ends with a commit that Perpetua did not make') as string,
  });
});

test('a folder of files that is no repository is refused, and left as it is', async () => {
  const folder = join(root, 'plain');
  await mkdir(folder);
  await writeFile(join(folder, 'file'), '');
  const { code, stderr } = await perpetua('git', 'toy', '--out', folder);
  expect(code).toBe(1);
  expect(stderr).toContain('Expected a Git repository, or a new or empty folder');
});

/** Hook that Git calls around each change of a branch: at `state`, it kills the command, and Git, too, if `both`. */
const killerAt = (state: string, both: boolean): string =>
  [
    '#!/bin/sh',
    `[ "$1" = ${state} ] && grep -q refs/heads/perpetua || exit 0`,
    'rm -f "$0"',
    'read -r _ _ _ command _ <"/proc/$PPID/stat"',
    `kill -9 "$command"${both ? ' "$PPID"' : ''}`,
  ].join('\n');

/** Makes a repository with this hook and exports to it until the command is killed; returns the repository. */
async function exportAndDie(name: string, killer: string): Promise<string> {
  const out = join(root, name);
  execFileSync('git', ['init', '--quiet', out]);
  const hook = join(out, '.git/hooks/reference-transaction');
  await mkdir(join(out, '.git/hooks'), { recursive: true });
  await writeFile(hook, killer);
  await chmod(hook, 0o755);
  const words = ['dist/cli/main.js', 'git', 'toy', '--out', out];
  const env = { ...process.env, DATABASE_URL: bench.url, PERPETUA_HOME: join(root, 'home') };
  const [, signal] = (await once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'close')) as unknown[];
  expect(signal).toBe('SIGKILL');
  return out;
}

/** Expects each claim once, in order, in a repository without a fault. */
async function expectEachClaimOnce(out: string): Promise<void> {
  const git = gitIn(out);
  const made = git('log', '--reverse', '--format=%(trailers:key=Perpetua-Claim,valueonly,separator=)', BRANCH);
  const known = await bench.db.select({ seq: claims.seq }).from(claims).orderBy(claims.seq);
  expect(made.split('\n')).toEqual(['0', ...known.map(({ seq }) => String(seq))]);
  expect(git('fsck', '--full', '--strict')).toBe('');
}

test.each<[string, string, boolean]>([
  ['the branch is about to move', 'prepared', false],
  ['the branch has moved', 'committed', false],
  ['the branch has moved, and Git with it', 'committed', true],
])('a command that is killed when %s leaves each claim once after a repeat', async (_, state, both) => {
  const out = await exportAndDie(`${state}-${both}`, killerAt(state, both));
  expect((await perpetua('git', 'toy', '--out', out)).code).toBe(0);
  await expectEachClaimOnce(out);
});

test('a Git that dies with the lock of the branch makes the next command name the file to remove', async () => {
  const out = await exportAndDie('locked', killerAt('prepared', true));
  const { code, stderr } = await perpetua('git', 'toy', '--out', out);
  expect(code).toBe(1);
  expect(stderr).toMatch(/refs\/heads\/perpetua\/toy\.lock.*exists[^]*remove/);
  await rm(join(out, '.git/refs/heads/perpetua/toy.lock'));
  expect((await perpetua('git', 'toy', '--out', out)).code).toBe(0);
  await expectEachClaimOnce(out);
});
