import { FLOOR } from './floor.ts';

/** A worker process as the SDK names it by itself. */
interface Place {
  pid: number;
  host: string;
}

/** How a worker names itself to Temporal: where it runs, and its version. */
export const identityOf = ({ pid, host }: Place): string => `${pid}@${host} perpetua 0.${FLOOR}`;

/** The floor of a worker by its name; 0 where it tells none, as those of 0.1. */
export const floorOfIdentity = (identity: string): number => Number(/ perpetua 0\.(\d+)$/.exec(identity)?.[1] ?? 0);

/** Where a worker runs, by its name; null where that tells nothing. */
export function parseIdentity(identity: string): Place | null {
  const [, pid, host] = /^(\d+)@(\S+)/.exec(identity) ?? [];
  return pid === undefined || host === undefined ? null : { pid: Number(pid), host };
}
