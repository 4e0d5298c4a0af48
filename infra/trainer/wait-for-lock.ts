import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, LockHeldError } from '../process/lock.ts';

const POLL_MS = 1000;

export interface WaitForLockOptions {
  /** Gets a line for people where it has to wait. */
  tell: (line: string) => void;
  signal?: AbortSignal;
}

/** Takes a lock file, and waits while another process has it; returns its release. */
export async function waitForLock(lock: string, { tell, signal }: WaitForLockOptions): Promise<() => void> {
  for (let told = false; ; told = true) {
    try {
      return acquireLock(lock);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      if (!told) tell(`process ${error.holder.pid} is already at this: waiting until it is done`);
    }
    await sleep(POLL_MS, undefined, { ...(signal && { signal }) });
  }
}
