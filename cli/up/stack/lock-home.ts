import { homePaths } from '../../../config/paths.ts';
import { acquireLock, LockHeldError } from '../../../infra/process/lock.ts';

/** Another process looks after this home's stack; the message says which. */
export class StackHeldError extends Error {
  override readonly name = 'StackHeldError';
}

/** One stack a home. Returns the release; the lock of a dead process is taken over. */
export function lockHome(home: string): () => void {
  try {
    return acquireLock(homePaths(home).upLock);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    const { pid, since } = error.holder;
    throw new StackHeldError(
      `Expected no stack in ${home}, but process ${pid} runs one since ${since}. Look on with \`npx perpetua watch\`, ` +
        `stop it with Ctrl-C in its terminal or \`npx perpetua down\`, or set PERPETUA_HOME for a second one.`,
      { cause: error },
    );
  }
}
