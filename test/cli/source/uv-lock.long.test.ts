import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTask } from '../../../cli/source/make-task.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { loadTask } from '../../../tasks/load.ts';
import { findBuildablePython, UV_CACHE } from '../../support/python.ts';

const LOCK = (python: string): string => `version = 1
requires-python = ">=${python}"

[[package]]
name = "prog"
version = "0.1.0"
source = { virtual = "." }
`;

const project = (python: string): string =>
  `[project]\nname = "prog"\nversion = "0.1.0"\nrequires-python = ">=${python}"\ndependencies = []\n`;

test('a program that uv run starts becomes a task whose environment comes from uv.lock', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'perpetua-uv-'));
  try {
    const home = join(root, 'home');
    const { python, lacks } = await findBuildablePython(createLocalCompute({ home, installation: 'any' }));
    if (lacks !== null) context.skip(lacks);
    const source = join(root, 'program');
    await mkdir(source);
    const train = 'import sys\nprint("loss:", 1 if "/stages/env" in sys.prefix else 2)\n';
    await writeFile(join(source, 'train.py'), train);
    await writeFile(join(source, 'uv.lock'), LOCK(python));
    await writeFile(join(source, 'pyproject.toml'), project(python));
    let output = '';
    const io = { stdout: { write: () => true }, stderr: { write: (text: string) => (output += text) } };
    const env = { ...process.env, PERPETUA_HOME: home, PERPETUA_TRAINER_CACHE: UV_CACHE };
    const run = `uv run -p ${python} train.py`;
    const out = join(root, 'task');
    await makeTask({ ...io, env }, { source, run, metric: 'loss', minimize: true, out });
    expect((await loadTask(out)).task).toMatchObject({
      environment: { python, lock: 'uv.lock' },
      run: { command: 'python train.py', path: [] },
    });
    expect(await readdir(out)).toEqual(['pyproject.toml', 'task.yaml', 'uv.lock', 'workspace']);
    expect(await readFile(join(out, 'uv.lock'), 'utf8')).toBe(LOCK(python));
    // The Python of the environment has run it, in the sandbox, too.
    expect(output).toMatch(/unmodified +loss 1\.000$/m);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
