import { hostname } from 'node:os';
import { identify, isAlive } from '../infra/process/identity.ts';

/**
 * Name of this worker process in rows: host, process id and start time, by which a worker of this host detects its
 * death.
 */
export function holderName(): string {
  const startedAt = identify(process.pid)?.startedAt ?? 'unknown';
  return `${hostname()} ${process.pid} ${startedAt}`;
}

/** True for a worker of this host whose process is gone. Workers of other hosts cannot be checked, only waited for. */
export function isDeadHere(holder: string): boolean {
  const parts = holder.split(' ');
  const [pid, startedAt] = [Number(parts.at(-2)), parts.at(-1) ?? ''];
  if (parts.slice(0, -2).join(' ') !== hostname() || !Number.isInteger(pid) || startedAt === 'unknown') return false;
  return !isAlive({ pid, startedAt });
}
