import { isAbsolute } from 'node:path';

/**
 * Leaves a current folder that was deleted, in which Node can resolve no path and start no program. Returns an error
 * for people if the home would depend on that folder; else null.
 */
export function leaveDeletedFolder(env: Record<string, string | undefined> = process.env): string | null {
  try {
    process.cwd();
    return null;
  } catch {
    process.chdir('/');
    if (isAbsolute(env.PERPETUA_HOME ?? '')) return null;
    return (
      'Expected the current folder to exist; it was deleted. ' +
      'Change to another folder (cd), or set PERPETUA_HOME to an absolute path.'
    );
  }
}
