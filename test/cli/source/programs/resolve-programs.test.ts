import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSourceOptions } from '../../../../cli/source/options.ts';
import { type Programs, resolvePrograms } from '../../../../cli/source/programs/resolve-programs.ts';
import { makeTask } from '../../../../cli/source/make-task.ts';
import { readSource } from '../../../../cli/source/read-source.ts';
import { loadTask } from '../../../../tasks/load.ts';

let root: string;
let venv: string;
beforeAll(async () => {
  // A home's folder, since a sandbox shows no folder of /tmp itself.
  root = await realpath(await mkdtemp(join(tmpdir(), 'perpetua-programs-')));
  venv = join(root, 'tools/my venv');
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', venv]);
  await write({
    [`${site(venv)}/only_here.py`]: 'RATE = 1.5\n',
    [`${site(venv)}/libs.pth`]: `${root}/libs/one\n`,
    [`${site(venv)}/two-1.dist-info/direct_url.json`]: JSON.stringify({
      url: `file://${root}/libs/two`,
      dir_info: { editable: true },
    }),
    'libs/one/one.py': 'x = 1\n',
    'libs/two/pyproject.toml': '',
  });
});
afterAll(() => rm(root, { recursive: true, force: true }));

const SITE = execFileSync('/usr/bin/python3', ['-c', 'import sys; print("python%d.%d" % sys.version_info[:2])']);
const site = (prefix: string): string => `${prefix.replace(`${root}/`, '')}/lib/${String(SITE).trim()}/site-packages`;

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function program(name: string, files: Record<string, string> = {}): Promise<string> {
  const all = { 'train.py': 'print("loss: 1")\n', 'evaluate.py': '', ...files };
  await write(Object.fromEntries(Object.entries(all).map(([path, text]) => [`${name}/${path}`, text])));
  return join(root, name);
}

const SYSTEM = '/usr/bin:/bin';
const io = (env: Record<string, string>) => ({
  stdout: { write: () => true },
  stderr: { write: () => true },
  env: { PERPETUA_HOME: join(root, 'home'), PATH: SYSTEM, HOME: join(root, 'user'), ...env },
});

async function resolve(source: string, run: string, env: Record<string, string> = {}): Promise<Programs> {
  const request = parseSourceOptions({ source, run, metric: 'loss', minimize: true });
  return resolvePrograms(io(env), request, await readSource(source));
}

test("the system's Python needs no key, and the shell's environment becomes run.path with its imports", async () => {
  const source = await program('plain');
  const nothing = { path: [], readable: [], env: {}, environment: null };
  expect(await resolve(source, 'python3 train.py')).toEqual({ run: 'python3 train.py', evaluate: null, ...nothing });
  const found = { path: [`${venv}/bin`], readable: [join(root, 'libs/one'), join(root, 'libs/two')], env: {} };
  const active = { PATH: `${venv}/bin:${SYSTEM}` };
  expect(await resolve(source, 'python train.py', active)).toMatchObject({ run: 'python train.py', ...found });
  expect(await resolve(source, 'python3 train.py', { VIRTUAL_ENV: venv })).toMatchObject(found);
  expect(await resolve(source, 'python3 train.py', { CONDA_PREFIX: venv })).toMatchObject(found);
  // A program without Python keeps the system's programs.
  const shell = join(root, 'shell');
  await write({ 'shell/train.sh': 'echo loss: 1\n' });
  expect(await resolve(shell, 'sh train.sh', active)).toMatchObject(nothing);
});

test('packages of pip install --user that a program uses are shown to runs and to the evaluation', async () => {
  const base = join(root, 'user/.local');
  const folder = join(root, site(base));
  await write({ [`${site(base)}/only_user.py`]: 'RATE = 2.5\n', [`${site(base)}/tool_of_user/__main__.py`]: '' });
  const found = { path: [], readable: [folder], env: { PYTHONUSERBASE: base } };
  const [train, evaluate] = ['open("a", "w").write("1")\n', 'import only_user\nprint(f"loss: {only_user.RATE}")\n'];
  const source = await program('users', { 'train.py': `import only_user\n${train}`, 'evaluate.py': evaluate });
  expect(await resolve(source, 'python3 train.py')).toMatchObject(found);
  const plain = await program('userless', { 'train.py': 'import os\nprint("loss: 1")\n' });
  expect(await resolve(plain, 'python3 train.py')).toMatchObject({ readable: [], env: {} });
  expect(await resolve(plain, 'python3 -m tool_of_user train.py')).toMatchObject(found);
  // An environment sees no packages of the user.
  const { env } = await resolve(source, 'python3 train.py', { PATH: `${venv}/bin:${SYSTEM}` });
  expect(env).toEqual({});
  const out = join(root, 'tasks/users');
  const commands = { run: 'python3 train.py', eval: 'python3 evaluate.py', metric: 'loss', minimize: true };
  await makeTask(io({}), { ...commands, source, out });
  expect((await loadTask(out)).task.run).toMatchObject({ readable: [folder], env: { PYTHONUSERBASE: base } });
});

test('a shim of pyenv counts as the interpreter behind it', async () => {
  const source = await program('shimmed');
  await write({ 'shims/python3': `#!/bin/sh\nexec "${venv}/bin/python3" "$@"\n` });
  await chmod(join(root, 'shims/python3'), 0o755);
  const { path } = await resolve(source, 'python3 train.py', { PATH: `${root}/shims:${SYSTEM}` });
  expect(path).toEqual([`${venv}/bin`]);
});

test("a program that only this shell's PATH finds becomes run.path", async () => {
  const source = join(root, 'other');
  await write({ 'other/train.x': '', 'tools/other/bin/runx': '#!/bin/sh\n' });
  const { path } = await resolve(source, 'A=1 runx train.x', { PATH: `${root}/tools/other/bin:${SYSTEM}` });
  expect(path).toEqual([join(root, 'tools/other/bin')]);
});

test.each([
  ['by its path', () => `"${venv}/bin/python" train.py`],
  ['from home', () => '~/env/bin/python train.py'],
  ['relative', () => './.venv/bin/python train.py'],
  ['below the source', () => `${root}/named/.venv/bin/python ${root}/named/train.py`],
  ['activated', () => '. .venv/bin/activate && python train.py'],
  ['by poetry', () => 'poetry run python train.py'],
  ['by uv without a project', () => 'uv run -q train.py'],
])('an environment that a command uses %s becomes run.path', async (_, command) => {
  const source = await program('named');
  for (const path of ['named/.venv', 'user/env']) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(venv, join(root, path)).catch(() => undefined);
  }
  const { run, path } = await resolve(source, command());
  expect(run).toBe('python train.py');
  expect(path).toHaveLength(1);
  expect(await realpath(path[0] ?? '')).toBe(`${venv}/bin`);
});

test('of two environments, the one of the first command comes first, and the other is named by its path', async () => {
  const source = await program('two');
  const other = join(root, 'tools/other env');
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', other]);
  const given = { run: `'${venv}/bin/python' train.py`, eval: `"${other}/bin/python" evaluate.py` };
  const request = parseSourceOptions({ source, ...given, metric: 'loss', minimize: true });
  expect(await resolvePrograms(io({}), request, await readSource(source))).toMatchObject({
    run: 'python train.py',
    evaluate: `'${other}/bin/python' evaluate.py`,
    path: [`${venv}/bin`, `${other}/bin`],
  });
});

test('conda run finds an environment by name, and an unknown one is refused with what to name', async () => {
  const source = await program('conda');
  await mkdir(join(root, 'user/miniconda3/envs'), { recursive: true });
  await symlink(venv, join(root, 'user/miniconda3/envs/torch'));
  const { run, path } = await resolve(source, 'conda run --no-capture-output -n torch python train.py');
  expect({ run, path }).toEqual({ run: 'python train.py', path: [join(root, 'user/miniconda3/envs/torch/bin')] });
  await expect(resolve(source, 'conda run -n other python train.py')).rejects.toThrow(
    /^--run: expected an environment of conda named other, found none .*\/bin\/python train\.py$/,
  );
});

test('a program in editable mode is imported from its copy, and its folder stays hidden', async () => {
  const source = await program('own', { 'src/own/__init__.py': 'x = 1\n' });
  await write({ [`${site(venv)}/own.pth`]: `${source}/src\n` });
  const { readable, env } = await resolve(source, 'python3 train.py', { PATH: `${venv}/bin:${SYSTEM}` });
  await rm(join(root, site(venv), 'own.pth'));
  expect(env).toEqual({ PYTHONPATH: 'src' });
  expect(readable).toEqual([join(root, 'libs/one'), join(root, 'libs/two')]);
});

test.each([
  ['uv run train.py', 'python train.py'],
  ['uv run python train.py', 'python train.py'],
  ['uv run -m pkg.train', 'python -m pkg.train'],
  ['X=1 uv run --frozen -- train.py > log && cat log', 'X=1 python train.py > log && cat log'],
])('%s in a folder with uv.lock becomes %s with that lock', async (command, run) => {
  const lock = 'version = 1\nrequires-python = ">=3.9, <3.12"\n';
  const source = await program('locked', {
    'uv.lock': lock,
    'pyproject.toml': '[project]\n',
    '.python-version': '3.10\n',
  });
  const environment = { python: '3.10', lock: 'uv.lock' };
  expect(await resolve(source, command)).toMatchObject({ run, path: [], environment });
});

test.each([
  [
    'uv run --with rich train.py',
    /^--run: the option --with of uv run has no equivalent; add its package with `uv add`/,
  ],
  ['uvx ruff train.py', /^--run: uvx ruff train\.py downloads a tool/],
  ['uv run inline.py', /^--run: inline\.py declares its own packages .*\.venv\/bin\/python inline\.py"$/],
  ['uv run train.py', /^--run: uv installs packages, .* Run `uv lock` in .*key environment\)$/],
])('%s without a lock is refused with what to do', async (run, message) => {
  const inline = '# /// script\n# dependencies = ["rich"]\n# ///\n';
  const source = await program('unlocked', { 'pyproject.toml': '[project]\n', 'inline.py': inline });
  await expect(resolve(source, run)).rejects.toThrow(message);
});

test("a program that imports packages of the shell's environment runs in the sandbox", async () => {
  const source = await program('whole', { 'train.py': 'import only_here, one\nprint(f"loss: {only_here.RATE}")\n' });
  const out = join(root, 'tasks/whole');
  const options = { source, run: 'python train.py', metric: 'loss', minimize: true, out };
  await makeTask(io({ PATH: `${venv}/bin:${SYSTEM}` }), options);
  expect((await loadTask(out)).task.run).toMatchObject({ path: [`${venv}/bin`], command: 'python train.py' });
  expect(await readFile(join(out, 'task.yaml'), 'utf8')).toContain('libs/one');
});
