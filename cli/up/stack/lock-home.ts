import { homePaths } from '../../../config/paths.ts';
import { acquireLock, LockHeldError } from '../../../infra/process/lock.ts';

/** Another process runs this home's stack; the message names the process. */
export class StackHeldError extends Error {
  override readonly name = 'StackHeldError';
}

/** Takes the home's lock, which one stack can hold, and returns its release. Throws StackHeldError if a stack runs. */
export function lockHome(home: string): () => void {
  try {
    return acquireLock(homePaths(home).upLock);
  } catch (error) {
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
