import { readFile } from 'node:fs/promises';
import { TICKS_PER_SECOND } from '../../../../domain/fleet/gpus.ts';
import { readOptional } from '../../../files.ts';

/** Identity of a process that no other process with the same process id shares. */
export interface Owner {
  pid: number;
  /** Clock ticks since boot, as text. */
  start: string;
  boot: string;
}

/** Reads "pid start boot …" from a control file; undefined if the file is absent or not complete yet. */
export async function readOwner(file: string): Promise<(Owner & { rest: string[] }) | undefined> {
  const [pid, start, boot, ...rest] = ((await readOptional(file)) ?? '').trim().split(' ');
  return pid && start && boot ? { pid: Number(pid), start, boot, rest } : undefined;
}

/** True if the machine has not been rebooted since the process started. */
export async function isThisBoot(owner: Owner): Promise<boolean> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim() === owner.boot;
}

/** Clock ticks from boot to the start of a process, as text; undefined if it has ended, also as a zombie. */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  const stat = await readOptional(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** True if the process lives: the same process id, start time and boot, and no zombie. */
export async function isAlive(owner: Owner): Promise<boolean> {
  return (await isThisBoot(owner)) && (await startOfProcess(owner.pid)) === owner.start;
}

/** Seconds since the process started, by the uptime; below 0 in containers whose uptime is not that of the kernel. */
export async function ageOf(owner: Owner): Promise<number> {
  return parseFloat(await readFile('/proc/uptime', 'utf8')) - Number(owner.start) / TICKS_PER_SECOND;
}

/** Signals the process; false if it is gone. */
export async function signalOwner(owner: Owner, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(owner))) return false;
  try {
    process.kill(owner.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
