import { homePaths } from '../../../config/paths.ts';
import { acquireLock, LockHeldError } from '../../../infra/process/lock.ts';
import { refused } from '../../errors.ts';

/** Another process runs this home's stack; the message names the process. */
export class StackHeldError extends Error {
  override readonly name = 'StackHeldError';
}

/** Error codes of a home that this user cannot make or write to. */
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT'];

/**
 * Takes the home's lock, which one stack can hold, and returns its release. Throws StackHeldError if a stack runs.
 * Refuses a home that this user cannot make or write to.
 */
export function lockHome(home: string): () => void {
  try {
    return acquireLock(homePaths(home).upLock);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (NOT_WRITABLE.includes(code))
      throw refused(
        `Expected the home ${home} to be a folder where you may write; got ${message.split(',')[0]}. ` +
          'Set PERPETUA_HOME to such a folder.',
      );
    if (!(error instanceof LockHeldError)) throw error;
    const { pid, since } = error.holder;
    throw new StackHeldError(
      `Expected no stack in ${home}, but process ${pid} runs one since ${since}. ` +
        'Watch it with `npx perpetua watch`, stop it with Ctrl-C in its terminal or `npx perpetua down`, ' +
        'or set PERPETUA_HOME to another folder for a second stack.',
      { cause: error },
    );
  }
}
