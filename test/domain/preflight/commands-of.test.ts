import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandsOf } from '../../../domain/preflight/commands-of.ts';

test('the syntax of Python and JavaScript is checked before the commands of the task, with quoted paths', () => {
  const paths = ['-a.py', "it's.py", 'b.mjs', 'c.js', 'd.txt'];
  expect(commandsOf({ syntax: true, commands: ['make lint'] }, paths)).toEqual([
    {
      command: `python3 -I -m py_compile './-a.py' './it'\\''s.py'`,
      name: 'the syntax check of Python',
      program: 'python3 --version',
    },
    {
      command: "node --check './b.mjs' && node --check './c.js'",
      name: 'the syntax check of JavaScript',
      program: 'node --version',
    },
    { command: 'make lint', name: '"make lint"' },
  ]);
  expect(commandsOf({ syntax: false, commands: [] }, paths)).toEqual([]);
  expect(commandsOf({ syntax: true, commands: [] }, ['d.txt'])).toEqual([]);
});

test('the syntax check of Python finds errors in files of folders, and executes no file of the candidate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-syntax-'));
  mkdirSync(join(folder, 'lib'));
  const traps = ['py_compile.py', 'json.py', 'sitecustomize.py', 'importlib.py'];
  for (const path of traps) writeFileSync(join(folder, path), 'print("executed")\n');
  writeFileSync(join(folder, 'lib/a.py'), 'x = \n');
  const check = (...paths: string[]) => {
    const [{ command = '' } = {}] = commandsOf({ syntax: true, commands: [] }, paths);
    return spawnSync('sh', ['-c', `{ ${command}; } 2>&1`], { cwd: folder, encoding: 'utf8' });
  };
  const good = check(...traps);
  const bad = check(...traps, 'lib/a.py');
  rmSync(folder, { recursive: true });
  expect(good).toMatchObject({ status: 0, stdout: '' });
  expect(bad).toMatchObject({ status: 1, stdout: expect.stringContaining('lib/a.py", line 1') as string });
  expect(bad.stdout).not.toContain('executed');
});
