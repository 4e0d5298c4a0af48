import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeTask } from '../../../cli/source/make-task.ts';
import type { SourceOptions } from '../../../cli/source/options.ts';
import { createEvaluatorSandbox } from '../../../infra/compute/local.ts';
import { loadTask } from '../../../tasks/load.ts';

const root = await mkdtemp(join(tmpdir(), 'perpetua-make-task-'));
const isSandboxed = await createEvaluatorSandbox({ home: join(root, 'home') }).isAvailable();
afterAll(() => rm(root, { recursive: true, force: true }));

/** Makes a folder with a program that writes its rate into a file, and one that scores the distance from 7. */
async function program(name: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(join(folder, '.git'), { recursive: true });
  const files = {
    'train.sh': 'RATE=1.5\nmkdir -p out && echo "$RATE" > out/rate.txt && echo "loss: 3" && cat lib.txt\n',
    'evaluate.sh': 'echo "reads $(cat held.txt)"; awk \'{print "loss: " ($1-7)*($1-7)}\' out/rate.txt\n',
    'lib.txt': 'library\n',
    'held.txt': 'held back\n',
    '.env': 'KEY=1\n',
    '.git/HEAD': 'ref: x\n',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  await symlink('/etc/passwd', join(folder, 'link'));
  return folder;
}

/** Makes a task; returns its folder and the text on stderr. */
async function make(options: SourceOptions, home = join(root, 'home')): Promise<{ folder: string; output: string }> {
  let output = '';
  const io = { stdout: { write: () => true }, stderr: { write: (text: string) => (output += text) } };
  const env = { PERPETUA_HOME: home, PATH: '/usr/bin:/bin' };
  return { folder: await makeTask({ ...io, env }, options), output };
}

const COMMON = { run: 'sh train.sh', metric: 'loss', minimize: true };

test('a program and its evaluation become a task without secrets whose runs do not see the evaluation', async () => {
  const source = await program('whole');
  const out = join(root, 'tasks/whole');
  const { folder, output } = await make({ ...COMMON, source, out, eval: 'sh evaluate.sh', evalFiles: ['held.*'] });
  expect(folder).toBe(out);
  expect((await readdir(out, { recursive: true })).sort()).toEqual([
    'evaluator',
    'evaluator/evaluate.sh',
    'evaluator/held.txt',
    'evaluator/lib.txt',
    'evaluator/perpetua-evaluate.mjs',
    'evaluator/train.sh',
    'task.yaml',
    'workspace',
    'workspace/lib.txt',
    'workspace/train.sh',
  ]);
  const { task, mutablePaths } = await loadTask(out);
  expect(mutablePaths).toEqual(['train.sh']);
  expect(task).toMatchObject({
    name: 'whole',
    metric: { name: 'loss', direction: 'minimize', from: 'evaluator' },
    run: { command: 'sh train.sh', budget: { seconds: 1, kind: 'wall' }, artefacts: [{ path: 'out/rate.txt' }] },
    knobs: [{ file: 'train.sh', name: 'RATE', range: [0.15, 15] }],
  });
  expect(output).toContain('running it once, unmodified');
  expect(output).toMatch(/score +loss, by sh evaluate\.sh on out\/rate\.txt; runs cannot read /m);
  expect(output).toMatch(/; runs cannot read evaluate\.sh, held\.txt$/m);
  expect(output).toMatch(/left out +\.env: it may hold keys or passwords$/m);
  expect(output).toMatch(/left out +link: a task holds no symbolic links$/m);
  // The number is that of the evaluation, not the one that the run printed.
  expect(output).toMatch(/unmodified +loss 30\.25$/m);
  await expect(make({ ...COMMON, source, out })).rejects.toThrow(`Expected ${out} not to exist yet`);
});

test('files that an earlier run left in a program are no part of its task, so that a run may write them', async () => {
  const source = await program('ran');
  await mkdir(join(source, 'out'));
  await writeFile(join(source, 'out/rate.txt'), 'of an earlier run\n');
  const { folder, output } = await make({ ...COMMON, source, out: join(root, 'tasks/ran'), eval: 'sh evaluate.sh' });
  expect(await readdir(join(folder, 'workspace'))).not.toContain('out');
  expect((await loadTask(folder)).task.run.artefacts).toMatchObject([{ path: 'out/rate.txt' }]);
  expect(output).toContain('running it once more, without the files of an earlier run: out/rate.txt');
  expect(output).toMatch(/left out +out\/rate\.txt: a run writes it$/m);
  expect(output).toMatch(/unmodified +loss 30\.25$/m);
});

test.skipIf(!isSandboxed)('an evaluation that lacks a file of the machine is refused with the key to add', async () => {
  const source = await program('labelled');
  const labels = join(root, 'labels');
  await mkdir(labels);
  await writeFile(join(labels, 'held.csv'), '7\n');
  await writeFile(join(source, 'evaluate.sh'), `cat ${labels}/held.csv && echo "loss: $(cat out/rate.txt)"\n`);
  const options = { ...COMMON, source, out: join(root, 'tasks/labelled'), eval: 'sh evaluate.sh' };
  const message = await make(options).then(
    () => 'no error',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/In task\.yaml, under evaluator, add: +readable: \[.*labels.*\]/);
  expect(message).toContain('Nothing was started');
});

test('a program without an evaluation prints its own score, which is reported as untrusted', async () => {
  const source = await program('said');
  const { folder, output } = await make({ ...COMMON, source, out: join(root, 'tasks/said') });
  expect(output).toContain('It is untrusted, since a proposal can print any score');
  expect(output).toMatch(/unmodified +loss 3\.000$/m);
  expect((await loadTask(folder)).task).toMatchObject({ evaluator: { type: 'none' }, metric: { from: 'stdout' } });
});

test('a score that the run prints as JSON is read as JSON', async () => {
  const source = await program('json');
  await writeFile(join(source, 'train.sh'), `printf '{\n  "loss": 0.5\n}\n'\n`);
  const { folder, output } = await make({ ...COMMON, source, out: join(root, 'tasks/json') });
  expect(output).toMatch(/unmodified +loss 0\.5000?$/m);
  expect((await loadTask(folder)).task.metric).toMatchObject({ from: 'stdout', format: 'json' });
});

test('the summary lists each knob with its value and range, and --knobs changes them', async () => {
  const source = await program('knobs');
  await writeFile(join(source, 'train.sh'), 'RATE=1.5\nDEPTH=8\nMODE="fast"\necho "loss: 3"\n');
  const { output } = await make({ ...COMMON, source, out: join(root, 'tasks/knobs') });
  expect(output).toMatch(/^ {2}knobs +RATE = 1\.5: 0\.15 to 15, log\n +DEPTH = 8: 2 to 32, whole numbers, log\n/m);
  expect(output).toMatch(/^ {2}no knobs +MODE = "fast": their values cannot be guessed; give them with --knobs$/m);
  const changes = ['-DEPTH MODE=fast|slow', 'RATE=1..2'];
  const changed = await make({ ...COMMON, source, out: join(root, 'tasks/changed'), knobs: changes });
  expect((await loadTask(changed.folder)).task.knobs).toMatchObject([
    { name: 'MODE', values: ['fast', 'slow'] },
    { name: 'RATE', range: [1, 2], scale: 'linear' },
  ]);
  const wrong = make({ ...COMMON, source, out: join(root, 'tasks/wrong'), knobs: ['RATE=2..3'] });
  await expect(wrong).rejects.toThrow('--knobs: expected a range that includes the value in train.sh, RATE = 1.5');
});

test('with budget, artefacts and files of the evaluation given, the program runs only in the sandbox', async () => {
  const source = await program('known');
  const known = { eval: 'sh evaluate.sh', artefact: ['out/rate.txt'], budget: '30', mutable: ['*.txt', 'train.sh'] };
  const out = join(root, 'tasks/known');
  const { folder, output } = await make({ ...COMMON, source, out, ...known, evalFiles: true });
  expect(output).not.toContain('running it once, unmodified');
  expect(output).toContain('running it once, as candidates will run: in the sandbox');
  expect(output).toMatch(/unmodified +loss 30\.25$/m);
  expect(await readFile(join(folder, 'task.yaml'), 'utf8')).toMatch(/seconds: 30$/m);
});

test('with a given budget the run in the sandbox shows the form of the score, and a failing program', async () => {
  const source = await program('budget');
  await writeFile(join(source, 'train.sh'), `printf '{\n  "loss": 0.5\n}\n'\n`);
  const { folder, output } = await make({ ...COMMON, source, out: join(root, 'tasks/budget'), budget: '30' });
  expect(output).toMatch(/unmodified +loss 0\.5000?$/m);
  const { task } = await loadTask(folder);
  expect(task).toMatchObject({ metric: { from: 'stdout', format: 'json' }, run: { budget: { seconds: 30 } } });
  await writeFile(join(source, 'train.sh'), 'echo no >&2; exit 6\n');
  const failing = make({ ...COMMON, source, out: join(root, 'tasks/failing'), budget: '30' });
  await expect(failing).rejects.toThrow(/in the sandbox; it ended with exit code 6\nno\n.*Nothing was started\./s);
});

test('without a usable home, a program with a given budget is refused, and another is noted', async () => {
  const source = await program('homeless');
  const file = join(root, 'no-folder');
  await writeFile(file, '');
  const budget = { ...COMMON, source, out: join(root, 'tasks/homeless'), budget: '30' };
  await expect(make(budget, file)).rejects.toThrow(`this user cannot make runs in ${file} (`);
  const { output } = await make({ ...COMMON, source, out: join(root, 'tasks/home') }, file);
  expect(output).toContain('note: the program was not tried in the sandbox');
});

test('a name that no task may have is refused before the program runs, with a valid one', async () => {
  const source = await program('unnamed');
  const out = join(root, 'tasks/unnamed');
  await expect(make({ ...COMMON, source, out, name: 'My P' })).rejects.toThrow(
    /^Expected --name to be at most 64 lower-case letters.*; got "My P"\. Write for example --name my-p\.$/,
  );
  expect(existsSync(out)).toBe(false);
});

test('a program that fails, a home folder and a missing option are refused, with what to do', async () => {
  const source = await program('bad');
  const out = join(root, 'tasks/bad');
  await expect(make({ source: homedir(), ...COMMON, out })).rejects.toThrow('is your home folder or holds it');
  await expect(make({ source, ...COMMON, out, run: 'sh -c "echo no >&2; exit 4; train.sh"' })).rejects.toThrow(
    /ended with 4:\nno$/,
  );
  await expect(make({ source, run: 'true', metric: 'loss' })).rejects.toThrow('one of --minimize and --maximize');
  await expect(make({ ...COMMON, source, out, run: 'true' })).rejects.toThrow('--run: "true" names no file of ');
  await expect(make({ ...COMMON, source, out, eval: 'sh evaluate.sh', run: 'true train.sh' })).rejects.toThrow(
    'The run left no files for the evaluation',
  );
  const unscored = make({ ...COMMON, source, out, eval: 'echo nothing; : evaluate.sh' });
  await expect(unscored).rejects.toThrow(
    /no score: the command of --eval printed neither .* the key loss; its last line was: nothing\nIf the metric has/,
  );
  await expect(unscored).rejects.toThrow(/change --metric\.\nNothing was started\. Correct .*tasks\/bad, then: /);
  await expect(unscored).rejects.toThrow(/, then: npx perpetua check .*\nOr correct the program, /);
});

test.each([
  ['nan', 'loss: nan', /The score does not count: expected loss to be finite, got NaN/],
  ['infinite', '{"loss": -Infinity}', /expected loss to be finite, got -Infinity/],
  ['text', 'loss: n/a', /expected the command of --eval to print loss as a plain number, got "n\/a"/],
])('an evaluation that ends with %s (%s) gives no score, whatever it printed before', async (name, last, problem) => {
  const source = await program(name);
  await writeFile(join(source, 'evaluate.sh'), `echo "loss: 0.5"; printf '%s\\n' '${last}'\n`);
  const out = join(root, 'tasks', name);
  await expect(make({ ...COMMON, source, out, eval: 'sh evaluate.sh' })).rejects.toThrow(problem);
});
