import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from './identity.ts';

const POLL_MS = 50;

/**
 * Sends a process a signal, waits, then kills it; checks the identity before each signal. Resolves when the process is
 * gone, with `killed` if it needed SIGKILL; throws if it outlives that.
 */
export async function stopProcess(
  target: ProcessIdentity,
  options: { signal?: NodeJS.Signals; graceMs: number },
): Promise<'gone' | 'killed'> {
  signalProcess(target, options.signal ?? 'SIGTERM');
  if (await endsWithin(target, options.graceMs)) return 'gone';
  signalProcess(target, 'SIGKILL');
  if (await endsWithin(target, 10_000)) return 'killed';
  throw new Error(`Expected process ${target.pid} to end after SIGKILL; it still runs. See: ps -p ${target.pid}`);
}

/** Sends a signal to exactly this process; false if it is gone. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(target)) return false;
  try {
    return process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Waits for a process to end; false if it still lives after `ms`. */
export async function endsWithin(target: ProcessIdentity, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(target)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
