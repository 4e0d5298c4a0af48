import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const SEARCH = fileURLToPath(new URL('../../domain/search/', import.meta.url));

/**
 * Reads the names of the axes, of their methods and of the keep policies from the source of the tables: the lint runs
 * before anything is built.
 */
export function readNames() {
  const axes = readTable(join(SEARCH, 'axes.ts'), 'AXES');
  const methods = axes.entries.flatMap(({ value }) => {
    const from = axes.imports.get(value);
    if (from === undefined)
      throw new Error(`expected ${value} of domain/search/axes.ts to be imported, found no import`);
    return readTable(from, value).entries.map(({ key }) => key);
  });
  const policies = readTable(join(SEARCH, 'keep.ts'), 'KEEPS').entries.map(({ key }) => key);
  return { axes: axes.entries.map(({ key }) => key), methods: [...new Set(methods)], policies };
}

/** Keys of an exported object, each with the identifier that is its value, and the file of each imported name. */
function readTable(path, name) {
  const { body } = tseslint.parser.parseForESLint(readFileSync(path, 'utf8'), { filePath: path }).ast;
  const imports = new Map(
    body
      .filter(({ type }) => type === 'ImportDeclaration')
      .flatMap(({ source, specifiers }) =>
        specifiers.map(({ local }) => [local.name, join(dirname(path), source.value)]),
      ),
  );
  const declared = body
    .flatMap(({ declaration }) => declaration?.declarations ?? [])
    .find(({ id }) => id.name === name);
  const table = withoutTypes(declared?.init);
  if (table?.type !== 'ObjectExpression') throw new Error(`expected an exported object ${name} in ${path}, found none`);
  const entries = table.properties.map(({ key, value }) => ({ key: key.name ?? key.value, value: value.name }));
  return { imports, entries };
}

/** The expression under `as const satisfies …`. */
function withoutTypes(node) {
  return node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression'
    ? withoutTypes(node.expression)
    : node;
}
