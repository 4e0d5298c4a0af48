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
  const names = Object.values(sources).flatMap((text) =>
    [...text.matchAll(/^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b|import[ \t]+([^#\n;]+))/gm)].flatMap(
      ([, from, list]) => (from === undefined ? (list ?? '').split(',').map(rootOf) : [from]),
    ),
  );
  return [...new Set(names)].filter((name) => name !== '' && !own.has(name)).slice(0, MOST);
}

/** The first name of `numpy.linalg as la`. */
const rootOf = (item: string): string => /^\s*([A-Za-z_]\w*)/.exec(item)?.[1] ?? '';
