import { FLOOR } from './floor.ts';

/** A worker process, by pid and host, as the SDK identifies it by default. */
interface WorkerProcess {
  pid: number;
  host: string;
}

/** Identity of a worker in Temporal: its process and its version. */
export const identityOf = ({ pid, host }: WorkerProcess): string => `${pid}@${host} perpetua 0.${FLOOR}`;

/** The floor in a worker's identity; 0 if it has none, as in 0.1. */
export const floorOfIdentity = (identity: string): number => Number(/ perpetua 0\.(\d+)$/.exec(identity)?.[1] ?? 0);

/** Reads a worker's process from its identity; null if the identity has another form. */
export function parseIdentity(identity: string): WorkerProcess | null {
  const [, pid, host] = /^(\d+)@(\S+)/.exec(identity) ?? [];
  return pid === undefined || host === undefined ? null : { pid: Number(pid), host };
}
