import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { PLAIN_OUTPUT } from '../plain-output.ts';
import { SYSTEM_PATH } from '../system-path.ts';

/** Options of `ps`: its times, which identify a process, come in one language and time zone. */
export const PS_OPTIONS = { encoding: 'utf8', env: { PATH: SYSTEM_PATH, TZ: 'UTC', ...PLAIN_OUTPUT } } as const;

/** A process by its id and its start time; the system never reuses both together. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** The identity of a living process; undefined if no process with that id lives. A zombie counts as dead. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** True if exactly this process lives. */
export const isAlive = (wanted: ProcessIdentity): boolean => identify(wanted.pid)?.startedAt === wanted.startedAt;

/** The command line of a living process, its arguments joined by spaces; empty if it cannot be read. */
export function commandLine(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], PS_OPTIONS).trim();
  } catch {
    return ''; // the process ended meanwhile
  }
}

let bootId: string | undefined;

function fromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything, so the fields count from its end; the first one is the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie whose other threads still run holds its files and ports, so it counts as living.
    if ((fields[0] === 'Z' || fields[0] === 'X') && readdirSync(`/proc/${pid}/task`).length <= 1) return undefined;
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
    return `${bootId}:${fields[19]}`;
  } catch {
    return undefined; // no such process
  }
}

function fromPs(pid: number): string | undefined {
  try {
    const [state, ...started] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], PS_OPTIONS)
      .trim()
      .split(/\s+/);
    return state?.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined; // ps exits with 1 if there is no such process
  }
}
