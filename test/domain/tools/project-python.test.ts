import { expect, test } from 'vitest';
import { projectPython } from '../../../domain/tools/project-python.ts';

test.each([
  ['>=3.10', '3.10'],
  ['>=3.9, <3.12', '3.9'],
  ['<3.12,>=3.11', '3.11'],
  ['~=3.10.2', '3.10'],
  ['>3.9', '3.10'],
  ['==3.11.*', '3.11'],
  ['==3.11.4', '3.11'],
  ['>=3.10,!=3.10.1', '3.10'],
])('of a project that requires Python %s, %s is the lowest', (required, lowest) => {
  const lock = { 'uv.lock': `version = 1\nrequires-python = "${required}"\n` };
  expect(projectPython(lock).lowest).toBe(lowest);
  expect(projectPython({ 'pyproject.toml': `[project]\nrequires-python = '${required}'\n` }).lowest).toBe(lowest);
});

test('.python-version is the pinned version, and a project without either asks for none', () => {
  expect(projectPython({ '.python-version': 'cpython-3.11.4-linux\n' })).toMatchObject({
    pinned: '3.11',
    lowest: null,
  });
  const none = projectPython({ 'pyproject.toml': '[project]\n' });
  expect(none).toMatchObject({ pinned: null, lowest: null });
  expect(none.accepts('3.13.1')).toBe(true);
  expect(projectPython({ 'uv.lock': 'requires-python = "<3.12, >=3.9"\n' }).accepts('3.12.0')).toBe(false);
});
