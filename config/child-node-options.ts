import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Options with the path of a module that Node loads first. */
const LOADS = ['-r', '--require', '--import', '--loader', '--experimental-loader'];
const DEBUGS = /^--(inspect|debug-port)/;

/**
 * NODE_OPTIONS for a child process, which runs for weeks in another folder. Leaves out modules that are gone, without
 * which Node would not start, and a debugger, which the parent has or for which the child would wait. Paths become
 * absolute.
 */
export function childNodeOptions(options: string, cwd: string): string {
  const kept: string[] = [];
  const words = wordsOf(options);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [name = '', ...rest] = word.split('=');
    if (DEBUGS.test(name)) continue;
    if (!LOADS.includes(name)) {
      kept.push(word);
      continue;
    }
    const module = rest.length > 0 ? rest.join('=') : (words.shift() ?? '');
    const path = locate(module, cwd);
    if (path !== null) kept.push(`${name === '-r' ? '--require' : name}=${path}`);
  }
  return kept.map((word) => (/[\s"\\]/.test(word) ? `"${word.replace(/["\\]/g, '\\$&')}"` : word)).join(' ');
}

/** Words of NODE_OPTIONS: Node knows double quotes, and a backslash within them. */
const wordsOf = (options: string): string[] =>
  [...options.matchAll(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/g)].map(([word]) =>
    word.replace(/"((?:\\.|[^"\\])*)"/g, (_, quoted: string) => quoted.replace(/\\(.)/g, '$1')),
  );

/** Path of a module that is named in a folder; null if there is none. URLs stay. */
function locate(module: string, cwd: string): string | null {
  if (/^(data|https?):/.test(module)) return module;
  try {
    const path = createRequire(join(cwd, 'x')).resolve(module.replace(/^file:\/\//, ''));
    // Node caches what it resolved for this process, but the file may be gone meanwhile.
    return !path.startsWith('/') || existsSync(path) ? path : null;
  } catch (error) {
    // A module for `import` alone: Node finds it, `require` does not.
    return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' ? null : module;
  }
}
