import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, LockHeldError } from '../process/lock.ts';

const POLL_MS = 1000;
const REPORT_SECONDS = 10;

export interface WaitForLockOptions {
  /** Receives a line for people if the lock is held, and then every ten seconds. */
  tell: (line: string) => void;
  signal?: AbortSignal;
}

/** Takes a lock file, waiting while another process holds it; returns the release. */
export async function waitForLock(lock: string, { tell, signal }: WaitForLockOptions): Promise<() => void> {
  for (let seconds = 0; ; seconds += POLL_MS / 1000) {
    try {
      return acquireLock(lock);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      if (seconds === 0) tell(`process ${error.holder.pid} is doing this already: waiting until it is done`);
      else if (seconds % REPORT_SECONDS === 0) tell(`still waiting for process ${error.holder.pid} (${seconds} s)`);
    }
    await sleep(POLL_MS, undefined, { ...(signal && { signal }) });
  }
}
