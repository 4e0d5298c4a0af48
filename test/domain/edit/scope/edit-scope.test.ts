import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { creationProblem, type EditScope } from '../../../../domain/edit/scope/edit-scope.ts';
import { globPattern, globProblem } from '../../../../domain/edit/scope/glob-pattern.ts';
import { EditRules } from '../../../../domain/schema/edits.ts';

const FILES = { 'main.py': 'import lib\n', 'lib/a.py': 'x = 1\n' };
const scope = (rules: object): EditScope => ({
  mutablePaths: Object.keys(FILES),
  rules: EditRules.parse(rules),
  taken: ['data/set.csv', 'lib/fixed.py', 'out/model.json'],
});
const OPEN = scope({ create: ['**'], remove: ['lib/*.py'], mostNewFiles: 2 });
const apply = (...edits: Edit[]) => applyEdits(FILES, edits, OPEN);

test.each(['lib/new.py', 'lib/deep/er.py', 'a b.txt', 'ü.py'])('a new file may be %j', (path) => {
  expect(apply({ path, content: 'y\n' })).toEqual({ ok: true, files: { ...FILES, [path]: 'y\n' } });
});

test.each([
  ['../x', 'leaves its folder'],
  ['/etc/passwd', 'absolute'],
  ['a\\b', 'backslash'],
  ['a\u0007', 'control characters'],
  ['a\u202eb', 'control characters'],
  ['u\u0308.py', 'NFC'],
  ['lib/fixed.py', 'the workspace has this file'],
  ['lib/FIXED.py', 'differs from lib/fixed.py in case'],
  ['Main.py', 'differs from main.py in case'],
  ['LIB/b.py', 'its folder LIB differs from lib in case'],
  ['data/set.csv/x', 'data/set.csv is a file, not a folder'],
  ['data', 'it is a folder, which holds data/set.csv'],
  ['out/model.json', 'the workspace has this file'],
  ['.git/config', 'reserved'],
  ['lib/__pycache__/a.pyc', 'reserved'],
  ['started.json', 'reserved'],
  ['ended.json', 'reserved'],
  ['.perpetua-agent/x', 'reserved'],
  ['perpetua-memory.md', 'reserved'],
  ['lib/PERPETUA-MEMORY.md', 'reserved'],
  ['lib/fixed/__init__.py', 'an import of lib/fixed.py, which is immutable, may load it instead'],
  ['constructor', 'reserved'],
  ['lib/a.', 'ends with a dot'],
  [`${'x'.repeat(201)}.py`, 'longer than 200 bytes'],
])('a new file may not be %j', (path, why) => {
  expect(creationProblem(path, OPEN)).toContain(why);
  expect(apply({ path, content: 'y\n' })).toMatchObject({ ok: false, label: 'edit-outside-mutable' });
});

describe('files of a candidate', () => {
  test('more new files than the task allows are refused', () => {
    const edits = ['a', 'b', 'c'].map((path): Edit => ({ path, content: 'x\n' }));
    expect(apply(...edits)).toMatchObject({ reason: expect.stringContaining('may have 2 new files') as string });
    expect(apply(...edits.slice(1))).toMatchObject({ ok: true });
  });

  test('two new files do not collide with each other', () => {
    expect(apply({ path: 'b', content: 'x\n' }, { path: 'B', content: 'x\n' })).toMatchObject({ ok: false });
    expect(apply({ path: 'b', content: 'x\n' }, { path: 'b/c', content: 'x\n' })).toMatchObject({ ok: false });
  });

  test('a mutable file may be deleted if a glob matches it, a new file always, and both may come back', () => {
    expect(apply({ path: 'lib/a.py', remove: true })).toEqual({ ok: true, files: { 'main.py': 'import lib\n' } });
    expect(apply({ path: 'main.py', remove: true })).toMatchObject({
      reason: expect.stringContaining('no glob of edits.remove matches it (lib/*.py)') as string,
    });
    const without = { 'main.py': 'import lib\n', 'new.py': 'n\n' };
    expect(applyEdits(without, [{ path: 'new.py', remove: true }], OPEN)).toMatchObject({ ok: true });
    expect(applyEdits(without, [{ path: 'lib/a.py', content: 'z\n' }], OPEN)).toMatchObject({ ok: true });
    expect(apply({ path: 'data/set.csv', remove: true })).toMatchObject({ label: 'edit-outside-mutable' });
  });

  test('without globs no file is made or deleted', () => {
    const closed = scope({});
    expect(applyEdits(FILES, [{ path: 'new.py', content: 'x' }], closed)).toMatchObject({ ok: false });
    expect(applyEdits(FILES, [{ path: 'lib/a.py', remove: true }], closed)).toMatchObject({
      reason: expect.stringContaining('the task allows no file to be deleted') as string,
    });
  });

  test('an edit outside the regions of a file is refused, also as a whole file or a deletion', () => {
    const regions = { 'm.py': 'a\n# EVOLVE-BLOCK-START\nb\n# EVOLVE-BLOCK-END\n', 'n.py': 'free\n' };
    const rules = {
      mutablePaths: Object.keys(regions),
      rules: EditRules.parse({ regions: true, remove: ['*'] }),
      taken: [],
    };
    const edit = (made: Edit) => applyEdits(regions, [made], rules);
    expect(edit({ path: 'm.py', search: 'b', replace: 'c' })).toMatchObject({ ok: true });
    expect(edit({ path: 'n.py', content: 'new\n' })).toMatchObject({ ok: true });
    for (const made of [
      { path: 'm.py', search: 'a', replace: 'c' },
      { path: 'm.py', content: 'b\n' },
      { path: 'm.py', remove: true },
    ] as Edit[])
      expect(edit(made)).toMatchObject({
        label: 'edit-outside-mutable',
        reason: expect.stringContaining('in m.py only these lines may change: line 3 (region 1)') as string,
      });
  });
});

test('globs of new files match the paths that other globs of a task match', () => {
  const globs = ['**', '*.py', 'lib/**', 'lib/**/*.py', '**/*.py', 'a?c', 'lib/*/x', 'a.b*'];
  const paths = [
    'a.py',
    'lib/a.py',
    'lib/b/a.py',
    'abc',
    'a/c',
    'lib/b/x',
    'lib/b/c/x',
    '.x.py',
    'x/lib/y',
    'a.bc',
    'axb',
  ];
  for (const glob of globs)
    for (const path of paths)
      expect([glob, path, globPattern(glob).test(path)]).toEqual([glob, path, picomatch(glob, { dot: true })(path)]);
  expect(
    ['{a,b}', '[ab]', '!a', 'a**', '@(a)', '**/a/**', '**/**', '*a*b*c*d'].every((glob) => globProblem(glob) !== null),
  ).toBe(true);
});
