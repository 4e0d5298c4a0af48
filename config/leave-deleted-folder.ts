import { isAbsolute } from 'node:path';
import { defaultHome, isClone, packageRoot } from './paths.ts';

/**
 * Leaves a current folder that was deleted, in which Node can resolve no path and start no program. Returns an error
 * for people if the home would depend on that folder; else null. `findRoot` finds the folder of Perpetua's program.
 */
export function leaveDeletedFolder(
  env: Record<string, string | undefined> = process.env,
  findRoot: () => string = packageRoot,
): string | null {
  try {
    process.cwd();
    return null;
  } catch {
    process.chdir('/');
    if (isAbsolute(homeOf(env, findRoot()))) return null;
    return (
      'Expected the current folder to exist; it was deleted. ' +
      'Change to another folder (cd), or set PERPETUA_HOME to an absolute path.'
    );
  }
}

/** The home; a relative path if it depends on the current folder. An empty variable counts as unset. */
function homeOf({ PERPETUA_HOME: home = '' }: Record<string, string | undefined>, root: string): string {
  if (home !== '') return home;
  return isClone(root) ? '.perpetua' : defaultHome('/', root);
}
