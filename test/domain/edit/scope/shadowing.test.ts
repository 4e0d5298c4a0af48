import { expect, test } from 'vitest';
import { creationProblem, scopeOf } from '../../../../domain/edit/scope/edit-scope.ts';
import { shadowingProblem } from '../../../../domain/edit/scope/shadowing.ts';
import { EditRules } from '../../../../domain/schema/edits.ts';

const IMMUTABLE = ['model.py', 'data.json', 'lib/a.js', 'pkg/__init__.py', 'ui/index.js', 'plain/code.py', 'README.md'];
const problem = (path: string, ...create: string[]) => shadowingProblem(path, { immutable: IMMUTABLE, create });

test.each([
  ['model/__init__.py', 'model.py'],
  ['model/__init__.pyc', 'model.py'],
  ['model.pyc', 'model.py'],
  ['Model.js', 'model.py'],
  ['data.js', 'data.json'],
  ['lib/a.mjs', 'lib/a.js'],
  ['lib/a/index.js', 'lib/a.js'],
  ['pkg.py', 'pkg/__init__.py'],
  ['pkg/__init__.so', 'pkg/__init__.py'],
  ['ui.js', 'ui/index.js'],
  ['ui/index.json', 'ui/index.js'],
])('the new file %s is refused beside the immutable file %s, which an import could miss', (path, other) => {
  expect(problem(path, '**')).toBe(
    `an import of ${other}, which is immutable, may load it instead: give it another name`,
  );
});

test.each(['plain.py', 'plain/__init__.py', 'lib.json'])(
  '%s is refused, which an import from its folder loads',
  (path) => expect(problem(path, '**')).toMatch(/^an import from (plain|lib), which has the immutable file /),
);

test.each(['models.py', 'lib/model.py', 'lib/model/__init__.py', 'plain/more.py', 'lib/index.js', 'lib.md', '.model'])(
  'a new file may be %s',
  (path) => expect(problem(path, '**')).toBe(null),
);

test.each(['package.json', 'lib/package.json', 'sitecustomize.py', 'usercustomize.py', 'new/conftest.py', '.npmrc'])(
  '%s, which programs load unnamed, needs a glob with its name',
  (path) => {
    const [name = ''] = /[^/]+$/.exec(path) ?? [];
    expect(problem(path, '**', '*.py', 'lib/*')).toContain(`programs load ${name} although no code names it`);
    expect(problem(path, '**', `**/${name}`)).toBe(null);
  },
);

test('packages that bare imports would find need a glob with the name of their folder', () => {
  expect(problem('node_modules/lodash/main.js', '**')).toContain('node_modules');
  expect(problem('Node_Modules/lodash/main.js', '**')).toContain('Node_Modules');
  expect(problem('node_modules/lodash/main.js', 'node_modules/**')).toBe(null);
});

test('an artefact, which only a run makes, shadows nothing, and a mutable file neither', () => {
  const task = { edits: EditRules.parse({ create: ['**'] }), run: { artefacts: [{ path: 'model.bin' }] } };
  const scope = scopeOf({ task, mutablePaths: ['train.py'] }, ['train.py', 'fixed.py']);
  expect(creationProblem('model.py', scope)).toBe(null);
  expect(creationProblem('train/__init__.py', scope)).toBe(null);
  expect(creationProblem('fixed/__init__.py', scope)).toContain('an import of fixed.py');
});
