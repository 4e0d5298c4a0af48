import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalAll } from './signal.ts';

interface Stat {
  state: string;
  parent: number;
}

/** State and parent of a process; null if it has ended. */
function statOf(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.parent === pid)
    .map(Number);

async function untilStopped(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => !['T', 'Z', undefined].includes(statOf(pid)?.state))) await sleep(10);
}

/**
 * Stops a postmaster and all its sessions. The kernel still accepts connections to it, but nothing answers. Returns the
 * function that lets them go on.
 */
export async function freezePostgres(postmaster: number): Promise<() => void> {
  signalAll([postmaster], 'SIGSTOP');
  // A postmaster that runs could start a session meanwhile.
  await untilStopped([postmaster]);
  const sessions = childrenOf(postmaster);
  signalAll(sessions, 'SIGSTOP');
  await untilStopped(sessions);
  return () => signalAll([...sessions, postmaster], 'SIGCONT');
}
