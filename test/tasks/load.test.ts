import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTask } from '../../tasks/load.ts';
import { TaskError } from '../../tasks/task-error.ts';
import { GOOD, makeTask } from './make-task.ts';

const refusal = async (folder: string): Promise<string> => {
  const error: unknown = await loadTask(folder).then(
    () => 'accepted',
    (reason: unknown) => reason,
  );
  if (error === 'accepted') return 'accepted';
  expect(error).toBeInstanceOf(TaskError);
  return (error as TaskError).message;
};
const withYaml = (text: string): Record<string, string> => ({ 'task.yaml': `${GOOD}${text}` });
const knob = (settings: string): Record<string, string> => withYaml(`knobs: [{ file: main.js, ${settings} }]\n`);

describe('loadTask', () => {
  it('reads a whole folder', async () => {
    const folder = await makeTask({
      'prompt.md': 'try less\n',
      'workspace/run.sh': '#!/bin/sh\n',
      'workspace/.git/HEAD': 'x',
    });
    await chmod(join(folder, 'workspace/run.sh'), 0o755);
    const loaded = await loadTask(folder);
    expect(loaded.workspace.map(({ path, executable }) => [path, executable])).toEqual([
      ['data.txt', false],
      ['main.js', false],
      ['run.sh', true],
    ]);
    expect(loaded.evaluatorFiles.map(({ path }) => path)).toEqual(['score.js']);
    expect(loaded).toMatchObject({
      yaml: GOOD,
      prompt: 'try less\n',
      mutablePaths: ['main.js'],
      task: { name: 'tiny' },
    });
    for (const key of ['hash', 'immutableHash', 'evaluatorHash', 'metricKey', 'stageHash'] as const)
      expect(loaded[key]).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['none.txt', '"none.txt", which is not there'],
    ['main.js', '"main.js", which is mutable'],
    ['data.txt', 'accepted'],
  ])('accepts only immutable files of the workspace as drawn: %s', async (path, message) => {
    const yaml = GOOD.replace(/^evaluator:\n/m, `evaluator:\n  draws: [{ path: ${path}, command: 'true' }]\n`);
    expect(yaml).not.toBe(GOOD);
    expect(await refusal(await makeTask({ 'task.yaml': yaml }))).toContain(message);
  });

  it('leaves the immutable files out of the mutable ones', async () => {
    const folder = await makeTask({
      'task.yaml': GOOD.replace('[main.js]', '["**/*.{js,txt}"]') + 'immutable: ["data.*"]\n',
      'workspace/lib/a.js': 'a',
    });
    expect((await loadTask(folder)).mutablePaths).toEqual(['lib/a.js', 'main.js']);
  });

  it('needs no evaluator if the metric comes from stdout', async () => {
    const yaml = GOOD.replace(/evaluator:[^]*/, 'evaluator: { type: none }\n').replace(
      'minimize',
      'minimize\n  from: stdout',
    );
    const loaded = await loadTask(await makeTask({ 'task.yaml': yaml, 'evaluator/score.js': null }));
    expect(loaded.evaluatorFiles).toEqual([]);
  });

  it.each([
    [
      'no task.yaml',
      { 'task.yaml': null },
      'expected a file task.yaml in the folder, got none; `npx perpetua init DIR` writes one',
    ],
    ['a task.yml', { 'task.yaml': null, 'task.yml': GOOD }, 'rename task.yml'],
    [
      'a command that no host could begin',
      { 'task.yaml': GOOD.replace('node main.js', `node main.js ${'x'.repeat(30_000)}`) },
      'run.command: expected a text of at most 30000 characters, got the text "node main.js xxx',
    ],
    ['a huge task.yaml', { 'task.yaml': `${GOOD}# ${'x'.repeat(300_000)}` }, 'expected at most 256 KiB, got 294 KiB'],
    [
      'UTF-16',
      { 'task.yaml': Buffer.from(`\ufeff${GOOD}`, 'utf16le') },
      'expected a text in UTF-8, got UTF-16; save it as UTF-8',
    ],
    [
      'Latin-1',
      { 'task.yaml': Buffer.from(GOOD.replace('tiny task', 't\u00e4sk'), 'latin1') },
      'expected a text in UTF-8',
    ],
    ['NUL bytes', { 'task.yaml': `${GOOD}\0` }, 'task.yaml:15:1 expected a text, got a control character'],
    [
      'no workspace',
      { 'workspace/main.js': null, 'workspace/data.txt': null },
      'workspace: expected the folder workspace beside task.yaml, got nothing; make it or correct workspace',
    ],
    [
      'a workspace that is a file',
      { 'workspace/main.js': null, 'workspace/data.txt': null, workspace: 'x' },
      'workspace: expected the folder workspace beside task.yaml, got a file; name a folder',
    ],
    [
      'no evaluator',
      { 'evaluator/score.js': null },
      'evaluator.files: expected the folder evaluator beside task.yaml, got nothing; ' +
        'make it or correct evaluator.files',
    ],
    [
      'no such mutable file',
      { 'task.yaml': GOOD.replace('main.js]', 'mian.js]') },
      'task.yaml:3:11 mutable[0]: expected a glob that matches files of the workspace, got mian.js, ' +
        'which matches none; correct the path; there is data.txt, main.js',
    ],
    [
      'no such immutable file',
      withYaml('immutable: [lib/**]\n'),
      'immutable[0]: expected a glob that matches files of the workspace, got lib/**, which matches none',
    ],
    [
      'all immutable',
      withYaml('immutable: ["*"]\n'),
      'mutable[0]: expected a glob that matches files of the workspace, got main.js, whose files are all immutable; ' +
        'narrow immutable',
    ],
    [
      'a binary mutable file',
      { 'workspace/main.js': 'a\0b' },
      'mutable: expected text files in UTF-8, got main.js, which is binary (it holds NUL bytes)',
    ],
    [
      'a mutable file that is not UTF-8',
      { 'workspace/main.js': Buffer.from([0xff, 0xfe, 0x41]) },
      'got main.js, which is not UTF-8',
    ],
    [
      'a large mutable file',
      { 'workspace/main.js': 'x'.repeat(2 * 1024 * 1024) },
      'mutable: expected at most 1 MiB of mutable files, got 1 files with 2.0 MiB; narrow the globs',
    ],
    [
      'no such prompt',
      withYaml('prompt: advice.md\n'),
      'prompt: expected a text file advice.md beside task.yaml, got nothing; write it or remove the key',
    ],
    [
      'a prompt that is no text',
      { 'prompt.md': Buffer.from([0xc3, 0x28]) },
      'prompt: expected a text file prompt.md beside task.yaml, got no UTF-8 text',
    ],
    [
      'a knob of another file',
      withYaml('knobs: [{ file: data.txt, name: X, type: int, range: [1, 2] }]\n'),
      'knobs[0].file: expected one of the mutable files: main.js, got the text "data.txt"; ' +
        'correct the path or add the file to mutable',
    ],
    [
      'a knob that is not there',
      knob('name: SPEED, type: int, range: [1, 2]'),
      'knobs[0].name: expected one line of main.js that begins with SPEED = … or SPEED: …, got none; ' +
        'correct the name or give the value a line of its own',
    ],
    [
      'a knob that is there twice',
      { ...knob('name: RATE, type: float, range: [0, 1]'), 'workspace/main.js': 'let RATE = 0.1;\nRATE = 0.2;\n' },
      'got 2; rename all but one',
    ],
    [
      'a knob out of range',
      knob('name: RATE, type: float, range: [0.2, 1]'),
      'knobs[0].range: expected a range that includes the value of RATE in main.js, got [0.2, 1] and the value 0.1; ' +
        'widen the range or change the file',
    ],
    [
      'a knob that is no number',
      knob('name: KIND, type: float, range: [0, 1]'),
      'knobs[0].name: expected a plain number after KIND in main.js, got the text "a"; ' +
        'write a number, or use type: choice',
    ],
    [
      'a knob that is an expression',
      { ...knob('name: RATE, type: float, range: [0, 1]'), 'workspace/main.js': 'const RATE = 0.1 * 2;\n' },
      'got the expression 0.1 * 2; write the value as one literal',
    ],
    [
      'an int knob with a fraction',
      knob('name: RATE, type: int, range: [0, 1]'),
      'knobs[0].type: expected float, since RATE in main.js is no whole number, got int and the value 0.1',
    ],
    [
      'a null where the language has none',
      {
        'task.yaml': `${GOOD.replace('[main.js]', '[k.toml]')}knobs:
  - { file: k.toml, name: act, type: choice, values: [relu, null] }\n`,
        'workspace/k.toml': 'act = "relu"\n',
      },
      'knobs[0].values[1]: expected a value that k.toml can hold in place of "relu", got an empty value (null); ' +
        'remove it, since TOML has no null',
    ],
    [
      'a text that its file cannot hold',
      {
        'task.yaml': `${GOOD.replace('[main.js]', '[k.ini]')}knobs:
  - { file: k.ini, name: act, type: choice, values: [relu, two words] }\n`,
        'workspace/k.ini': 'act = relu\n',
      },
      'knobs[0].values[1]: expected a value that k.ini can hold in place of relu, got the text "two words"; ' +
        'remove it, or write a plainer text',
    ],
    [
      'a choice without the current value',
      knob('name: KIND, type: choice, values: [b, c]'),
      'knobs[0].values: expected values that include the value of KIND in main.js, got the text "a"; ' +
        'add it to values, or change the file',
    ],
  ] as [string, Record<string, string | Uint8Array | null>, string][])('refuses %s', async (_name, files, message) => {
    expect(await refusal(await makeTask(files))).toContain(message);
  });

  it('refuses a path that is no folder', async () => {
    expect(await refusal('/nowhere/at/all')).toContain('expected a task folder, got no folder /nowhere/at/all; name a');
  });

  it('refuses symbolic links, wherever they lead', async () => {
    const inside = await makeTask({ 'workspace/main.js': null, 'workspace/real.js': 'x' });
    await symlink('real.js', join(inside, 'workspace/main.js'));
    expect(await refusal(inside)).toContain(
      'task.yaml:3:11 mutable[0]: expected regular files that lie in the workspace themselves, ' +
        'got the symbolic link main.js to real.js; copy what it points to, or make the link in setup',
    );
    const outside = await makeTask();
    await symlink('/etc/passwd', join(outside, 'workspace/secrets'));
    expect(await refusal(outside)).toContain(
      'workspace: expected regular files that lie in the workspace themselves, ' +
        'got the symbolic link secrets to /etc/passwd',
    );
    const folder = await makeTask();
    await rename(join(folder, 'workspace'), join(folder, 'elsewhere'));
    await symlink('elsewhere', join(folder, 'workspace'));
    expect(await refusal(folder)).toContain(
      'workspace: expected the folder workspace beside task.yaml, got a symbolic link to',
    );
    const scorer = await makeTask();
    await symlink('../workspace/data.txt', join(scorer, 'evaluator/data.txt'));
    expect(await refusal(scorer)).toContain('evaluator: expected regular files that lie in the evaluator themselves');
  });

  it('refuses a file that is not regular, without opening it', async () => {
    const folder = await makeTask();
    execFileSync('mkfifo', [join(folder, 'workspace/pipe')]);
    expect(await refusal(folder)).toContain(
      'workspace: expected plain files in workspace, at most 2000 and 64 MiB together, got pipe is no regular file',
    );
  });

  it.each([
    [
      'is no UTF-8',
      Buffer.from([0x61, 0xff, 0x2e, 0x6d, 0x64]),
      String.raw`got "deep/a\xff.md": its name is no UTF-8; rename it`,
    ],
    [
      'looks like a drive',
      Buffer.from('a:b*c?.md'),
      'got "a:b*c?.md": it begins with a:, which Windows reads as a drive; rename it',
    ],
    ['holds a line feed', Buffer.from('a\nb'), String.raw`got "deep/a\nb": it holds control characters; rename it`],
  ])('refuses a file whose name %s, with the reason', async (_, name, reason) => {
    const folder = await makeTask({ 'workspace/deep/x': '' });
    const at = join(folder, reason.includes('deep/') ? 'workspace/deep/' : 'workspace/');
    await writeFile(Buffer.concat([Buffer.from(at), name]), '');
    expect(await refusal(folder)).toContain(reason);
  });

  it('accepts names in any language, even with a replacement character', async () => {
    const loaded = await loadTask(await makeTask({ 'workspace/größe-数-\ufffd.md': 'x' }));
    expect(loaded.workspace.map(({ path }) => path)).toContain('größe-数-\ufffd.md');
  });

  it('refuses too many files and too much data, with the place for them', async () => {
    const many = await makeTask();
    await mkdir(join(many, 'workspace/many'));
    await Promise.all(Array.from({ length: 2001 }, (_, i) => writeFile(join(many, 'workspace/many', String(i)), '')));
    expect(await refusal(many)).toMatch(/it holds more than 2000 files .* move large data into setup/s);
    const large = await makeTask();
    execFileSync('truncate', ['-s', '65M', join(large, 'workspace/large.bin')]);
    expect(await refusal(large)).toMatch(/it holds more than 64 MiB .* move large data into setup/s);
  });

  it('reports problems of files together', async () => {
    const folder = await makeTask({ ...withYaml('prompt: x.md\n'), 'evaluator/score.js': null });
    expect(await refusal(folder)).toMatch(/2 problems:\n.*evaluator\.files.*\n.*prompt/);
  });
});
