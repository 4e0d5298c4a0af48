import { expect, test } from 'vitest';
import { unseenByCommands, unseenBySetup } from '../../../domain/tools/unseen-by-setup.ts';

const MUTABLE = ['prepare.py', 'src/model.py', 'src/net/__init__.py', 'deep/a.c'];
const advice = (log: string, message = 'setup command "make": exit code 2') => unseenBySetup({ message, log }, MUTABLE);

test('a failed setup that names a mutable file gives the file, the reason and the fix', () => {
  expect(advice('', 'setup command "python3 prepare.py --all": exit code 2')).toBe(
    'Setup cannot read prepare.py, since candidates change it. In task.yaml, list it under immutable, ' +
      'or do not use it in setup.',
  );
});

test('several files are named at once', () => {
  expect(advice('cat: src/model.py: No such file or directory\ncat: ./prepare.py: No such file or directory')).toBe(
    'Setup cannot read prepare.py and src/model.py, since candidates change them. ' +
      'In task.yaml, list them under immutable, or do not use them in setup.',
  );
  const many = ['a', 'b', 'c', 'd', 'e'];
  expect(unseenByCommands([many.join(' ')], many)).toContain('cannot read a, b, c and 2 more, since');
});

test.each([
  ['Python', "python3: can't open file '/home/me/stages/abc/files/prepare.py': [Errno 2] No such file or directory"],
  ['a module', "ModuleNotFoundError: No module named 'model'"],
  ['a module of a package', "ModuleNotFoundError: No module named 'src.net'"],
  ['a package', "ModuleNotFoundError: No module named 'net.layers'", false],
  ['Node', "Error: Cannot find module '/stages/abc/files/prepare.py'"],
  ['make', "make: *** No rule to make target 'deep/a.c', needed by 'a'.  Stop."],
  ['dash', "sh: 1: cd: can't cd to deep"],
  ['a line that names the file without an error', 'reading prepare.py', false],
  ['a file in another folder', 'cat: data/prepare.py: No such file or directory', false],
  ['a file above', 'cat: ../prepare.py: No such file or directory', false],
  ['a file with a longer name', 'cat: prepare.py.lock: No such file or directory', false],
  ['a package that is nowhere', "ModuleNotFoundError: No module named 'numpy'", false],
] as [string, string, boolean?][])('a mutable file is recognised by the error of %s', (_, line, isFound = true) => {
  expect(advice(`begun\n${line}\n`) !== null).toBe(isFound);
});

test('commands that name no mutable file are no reason to warn', () => {
  expect(unseenByCommands(['make data', 'python3 fetch.py > $PERPETUA_DATA/prepare.python'], MUTABLE)).toBeNull();
});
