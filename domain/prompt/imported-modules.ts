import { pythonImportsIn } from '../source/python-imports.ts';

/** Most modules that are returned. */
const MOST = 100;

/** Names of the modules at the top level that sources of Python import, such as `numpy`, without the sources' own. */
export function importedModules(sources: Readonly<Record<string, string>>): string[] {
  const own = new Set(
    Object.keys(sources).map((path) =>
      path
        .replace(/(?:\/__init__)?\.py$/, '')
        .split('/')
        .at(-1),
    ),
  );
  const imports = Object.values(sources).flatMap(pythonImportsIn);
  const names = imports.filter(({ dots }) => dots === 0).map(({ module }) => module.split('.')[0] ?? '');
  return [...new Set(names)].filter((name) => name !== '' && !own.has(name)).slice(0, MOST);
}
