/**
 * Packages with their versions in the text of a lock, `numpy 2.1.0`: lines `numpy==2.1.0` of a list, or uv.lock's tables. A package
 * that is the project itself, which has no version of an index, is left out.
 */
export function packagesIn(lock: string): string[] {
  const listed = [...lock.matchAll(/^([A-Za-z0-9][\w.-]*)(?:\[[^\]\n]*\])?\s*==\s*([^\s;\\]+)/gm)];
  const tables = lock
    .split(/^\[\[package\]\]$/m)
    .slice(1)
    .filter((table) => /^source = \{ registry = /m.test(table))
    .flatMap((table) => {
      const [, name] = /^name = "([^"\n]+)"/m.exec(table) ?? [];
      const [, version] = /^version = "([^"\n]+)"/m.exec(table) ?? [];
      return name === undefined || version === undefined ? [] : [`${name} ${version}`];
    });
  return [...listed.map(([, name = '', version = '']) => `${name} ${version}`), ...tables];
}
