import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { requireHiddenSource } from '../../../../cli/source/programs/require-hidden-source.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'perpetua-hidden-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const program = join(top, 'project/program');
mkdirSync(program, { recursive: true });
symlinkSync(join(top, 'project'), join(top, 'link'));

const none = { path: [], readable: [] };

test.each([
  [
    'is an environment itself',
    { ...none, path: [join(program, 'bin')] },
    'Keep the environment in a folder of its own',
  ],
  ['lies in an environment', { ...none, path: [join(top, 'project/bin')] }, 'Keep the environment in a folder'],
  ['lies in a package in editable mode', { ...none, readable: [join(top, 'project')] }, 'without -e'],
  ['is named by PYTHONPATH', { ...none, readable: [program] }, 'copy the program out of the folder'],
  ['lies behind a link that is shown', { ...none, readable: [join(top, 'link')] }, 'without -e'],
])('a program that %s is refused, since runs would see its answers', (_case, programs, remedy) => {
  expect(() => requireHiddenSource(program, programs)).toThrow(remedy);
});

test('a program in a folder of the system is refused', () => {
  expect(() => requireHiddenSource('/opt/program', none)).toThrow('every sandbox shows the folders of the system');
});

test('an environment in a folder of the program, and packages beside it, are accepted', () => {
  const path = [join(program, '.venv/bin'), join(top, 'other/bin')];
  requireHiddenSource(program, { path, readable: [join(program, 'src'), join(top, 'packages')] });
});
