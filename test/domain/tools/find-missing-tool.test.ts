import { expect, it } from 'vitest';
import { findMissingTool } from '../../../domain/tools/find-missing-tool.ts';

it.each([
  ['a module of Python', 1, "ModuleNotFoundError: No module named 'sklearn.ensemble'", 'python', 'sklearn'],
  ['a module for python3 -m', 1, '/usr/bin/python3: No module named pytest', 'python', 'pytest'],
  ['a package of Node', 1, "Error: Cannot find module '@scope/thing/deep'\nRequire stack:", 'node', '@scope/thing'],
  ['a package of Node, imported', 1, "Cannot find package 'zod' imported from /run/main.mjs", 'node', 'zod'],
  ['a command, by dash', 127, 'sh: 1: uv: not found', 'command', 'uv'],
  ['a command, by bash', 127, 'bash: line 1: python3.12: command not found', 'command', 'python3.12'],
  ['a command, by busybox', 127, 'sh: julia: not found', 'command', 'julia'],
  ['a command, by env', 127, '/usr/bin/env: ‘python’: No such file or directory', 'command', 'python'],
  ['a command that may not be run', 126, 'sh: 1: tool: Permission denied', 'command', 'tool'],
  ['a program by its path', 127, 'sh: 1: /home/me/venv/bin/python: not found', 'file', '/home/me/venv/bin/python'],
  [
    'a file, by Python',
    1,
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/x.csv'",
    'file',
    '/data/x.csv',
  ],
  ['a file, by Node', 1, "Error: ENOENT: no such file or directory, open '/data/x y.csv'", 'file', '/data/x y.csv'],
  [
    'a file, by Node, plainly',
    1,
    "Error: ENOENT: no such file or directory, open '/data/x.csv'",
    'file',
    '/data/x.csv',
  ],
  ['a file, by numpy', 1, 'FileNotFoundError: /data/x.csv not found.', 'file', '/data/x.csv'],
  ['a file, by cat', 1, 'cat: /data/x.csv: No such file or directory', 'file', '/data/x.csv'],
  ['a command, by Python', 1, "FileNotFoundError: [Errno 2] No such file or directory: 'ffmpeg'", 'command', 'ffmpeg'],
])('%s is found in the output of a failed program', (_tool, exitCode, line, kind, name) => {
  const log = `begun\n${line}\nover\n`;
  expect(findMissingTool({ exitCode, log })).toEqual(name === null ? null : { kind, name });
});

it('the last line of the most specific kind counts', () => {
  const log =
    "No module named 'tensorflow', goes on without\nNo module named 'torch'\ncat: /data/x: No such file or directory";
  expect(findMissingTool({ exitCode: 1, log })).toEqual({ kind: 'python', name: 'torch' });
});

it('a program that failed for something else lacks nothing', () => {
  expect(findMissingTool({ exitCode: 1, log: 'key: not found\nout.json: No such file or directory' })).toBeNull();
  expect(findMissingTool({ exitCode: 1, log: "SyntaxError: it's over" })).toBeNull();
});
