import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, LockHeldError } from '../process/lock.ts';

const POLL_MS = 1000;

export interface WaitForLockOptions {
  /** Receives a line for people if the lock is held. */
  tell: (line: string) => void;
  signal?: AbortSignal;
}

/** Takes a lock file, waiting while another process holds it; returns the release. */
export async function waitForLock(lock: string, { tell, signal }: WaitForLockOptions): Promise<() => void> {
  for (let hasReported = false; ; hasReported = true) {
    try {
      return acquireLock(lock);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      if (!hasReported) tell(`process ${error.holder.pid} is doing this already: waiting until it is done`);
    }
    await sleep(POLL_MS, undefined, { ...(signal && { signal }) });
  }
}
