/**
 * Packages of a lock with their versions, such as `numpy 2.1.0`. The lock is a list of lines `numpy==2.1.0`, or a
 * uv.lock with tables. Leaves out tables without a registry as their source, such as the project itself.
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
