import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTask } from '../../../cli/source/make-task.ts';
import type { SourceOptions } from '../../../cli/source/options.ts';

let root: string;
let unrecorded: string;
let isMounted = false;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'perpetua-observe-'));
  unrecorded = join(root, 'noatime');
  await mkdir(unrecorded);
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'noatime', 'tmpfs', unrecorded]).status === 0;
});
afterAll(async () => {
  if (isMounted) spawnSync('umount', [unrecorded]);
  await rm(root, { recursive: true, force: true });
});

const TRAIN = 'RATE=1.5\ncat data/train.csv data/both.csv > /dev/null; mkdir -p out; echo "$RATE" > out/rate.txt\n';
const EVALUATE = 'cat data/labels.csv data/both.csv > /dev/null; awk \'{print "loss: " $1}\' out/rate.txt\n';

async function program(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(root, name);
  const all = {
    'train.sh': TRAIN,
    'evaluate.sh': EVALUATE,
    'data/train.csv': '1\n',
    'data/both.csv': '2\n',
    'data/labels.csv': '3\n',
    'notes.md': 'about\n',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

interface Made {
  workspace: string[];
  evaluator: string[];
  output: string;
}

async function make(options: Partial<SourceOptions> & { source: string }, parents?: string[]): Promise<Made> {
  let output = '';
  const env = { PERPETUA_HOME: join(root, 'home'), PATH: '/usr/bin:/bin' };
  const io = { stdout: { write: () => true }, stderr: { write: (text: string) => (output += text) }, env };
  const out = `${options.source}-task`;
  const common = { run: 'sh train.sh', eval: 'sh evaluate.sh', metric: 'loss', minimize: true, out };
  const folder = await makeTask(io, { ...common, ...options }, parents);
  const filesIn = async (name: string): Promise<string[]> =>
    (await readdir(join(folder, name), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1))
      .sort();
  return { workspace: await filesIn('workspace'), evaluator: await filesIn('evaluator'), output };
}

test('a mutable file that the evaluation opens is named: the evaluation uses the unmodified one', async () => {
  const evaluate = 'cat train.sh data/labels.csv > /dev/null; awk \'{print "loss: " $1}\' out/rate.txt\n';
  const source = await program('imports', { 'evaluate.sh': evaluate });
  const { output } = await make({ source });
  expect(output).toMatch(
    /unmodified +the evaluation uses its own, unmodified copy of train\.sh: what a proposal changes/,
  );
  expect(output).not.toMatch(/shared .*train\.sh/);
});

test('a program that lacks a file in its copy is told that links and paths outside are not there', async () => {
  const source = await program('outside', { 'train.sh': 'RATE=1\ncat linked.csv\n' });
  await symlink('data/train.csv', join(source, 'linked.csv'));
  const made = make({ source });
  await expect(made).rejects.toThrow('Symbolic links are not copied: linked.csv. Use files instead.');
  await expect(made).rejects.toThrow('The program runs in a copy of its folder, so that paths such as ../data');
});

test('runs get only files that a run opened, and the summary names those that the evaluation opened, too', async () => {
  const source = await program('labels', {});
  const { workspace, evaluator, output } = await make({ source });
  expect(workspace).toEqual(['data/both.csv', 'data/train.csv', 'train.sh']);
  expect(evaluator).toContain('data/labels.csv');
  expect(output).toMatch(/runs read +data\/both\.csv, data\/train\.csv, train\.sh$/m);
  expect(output).toMatch(/score .*; runs cannot read data\/labels\.csv, evaluate\.sh$/m);
  expect(output).toMatch(/shared +data\/both\.csv: candidates can read it, and the evaluation uses it, too/);
  expect(output).toMatch(/left out +notes\.md: neither command opened it; .* --run-files GLOB$/m);
});

test('files that no run opened stay for runs if an option, the command or an import names them', async () => {
  const source = await program('named', {
    'train.py': 'import sys\nif len(sys.argv) > 9:\n    from pkg import deep\nopen("rate.txt", "w").write("1.5")\n',
    'pkg/__init__.py': '',
    'pkg/deep.py': 'from .other import x\n',
    'pkg/other.py': 'x = 1\n',
    'pkg/alone.py': '',
    'unused.py': 'y = 1\n',
    'conf/base.yaml': 'a: 1\n',
    'evaluate.sh': 'cat data/labels.csv > /dev/null; awk \'{print "loss: " $1}\' rate.txt\n',
  });
  const run = 'python3 train.py conf/base.yaml';
  const { workspace } = await make({ source, run, mutable: ['train.py'], runFiles: ['notes.md', 'data/both.csv'] });
  expect(workspace).toEqual([
    'conf/base.yaml',
    'data/both.csv',
    'notes.md',
    'pkg/__init__.py',
    'pkg/alone.py', // Empty, so it tells runs nothing.
    'pkg/deep.py',
    'pkg/other.py',
    'train.py',
  ]);
});

test('--eval-files hides a file that both commands open, and a glob that matches no file is refused', async () => {
  const source = await program('held', {
    'train.sh': TRAIN.replace('; mkdir', ' || true; mkdir').replace('> /dev/null', '> /dev/null 2>&1'),
  });
  await expect(make({ source, evalFiles: ['data/lables.csv'] })).rejects.toThrow(
    /^--eval-files: no file of .* matches data\/lables\.csv/,
  );
  const { workspace, output } = await make({ source, evalFiles: ['./data/both.csv'] });
  expect(workspace).toEqual(['data/train.csv', 'train.sh']);
  expect(output).not.toContain('shared');
});

test('a file that an earlier run left with the same content is an output, and no part of the workspace', async () => {
  const source = await program('same', { 'out/rate.txt': '1.5\n' });
  const { workspace, output } = await make({ source });
  expect(workspace).not.toContain('out/rate.txt');
  expect(output).toMatch(/score +loss, by sh evaluate\.sh on out\/rate\.txt;/m);
});

test('a program that names its own folder is refused unless the files of the evaluation are given', async () => {
  const source = await program('absolute', {});
  await writeFile(join(source, 'train.sh'), `${TRAIN}cat ${source}/data/train.csv > /dev/null 2>&1 || true\n`);
  await expect(make({ source })).rejects.toThrow(
    `Cannot tell which files only the evaluation opens: train.sh names ${source}, and the files that`,
  );
  const { workspace, output } = await make({ source, evalFiles: ['data/labels.csv'] });
  expect(workspace).toContain('notes.md');
  expect(workspace).not.toContain('data/labels.csv');
  expect(output).toMatch(/unknown +which files the evaluation opens: train\.sh names /);
});

test('without recorded access times nothing starts unless the files of the evaluation are given', async (context) => {
  if (!isMounted) context.skip('needs the right to mount a file system');
  const source = await program('unrecorded', { 'train.sh': 'exit 7\n' });
  await expect(make({ source }, [unrecorded])).rejects.toThrow(
    /^Cannot tell which files only the evaluation opens: no file system .* --eval-files GLOB …; if there are none: /,
  );
  await writeFile(join(source, 'train.sh'), TRAIN);
  const { workspace, output } = await make({ source, evalFiles: true }, [unrecorded]);
  expect(workspace).toContain('data/labels.csv');
  expect(output).toMatch(/unknown +which files the evaluation opens: no file system .* may hold answers$/m);
  // Another folder is tried before the program is refused.
  await rm(`${source}-task`, { recursive: true });
  expect((await make({ source }, [unrecorded, root])).workspace).not.toContain('data/labels.csv');
});

test('a program that fails without the files of the evaluation is refused, and they are named', async () => {
  const source = await program('asks', { 'train.sh': `[ -e data/labels.csv ] || exit 5\n${TRAIN}` });
  const refusal = make({ source });
  await expect(refusal).rejects.toThrow(/as candidates will, in the sandbox; it ended with exit code 5\n/);
  await expect(refusal).rejects.toThrow(/Runs do not get data\/labels\.csv, .*If a run needs one of them: --run-f/);
  await rm(`${source}-task`, { recursive: true });
  const { workspace, output } = await make({ source, runFiles: ['data/labels.csv'] });
  expect(workspace).toContain('data/labels.csv');
  expect(output).toMatch(/shared +data\/both\.csv, data\/labels\.csv: /);
});
