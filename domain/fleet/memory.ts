import type { Task } from '../task/task.ts';
import type { FleetPool } from './fleet.ts';

/** Memory of a host, in MiB. */
interface Memory {
  memoryMb: number;
}

/** Nominal memory of a machine over its reported memory: firmware and kernel keep some. */
const KEPT = 1.1;

/** MiB that a run on a host may take: the slot's if the pool sets it, else all and a tenth; null before a probe. */
export const memoryForRun = (pool: FleetPool, facts: Memory | null): number | null =>
  // Probes of older versions stored no memory.
  pool.memoryMb ?? (facts?.memoryMb === undefined ? null : Math.floor(facts.memoryMb * KEPT));

/** Number of slots for which the host has memory. */
export const slotsInMemory = (pool: FleetPool, { memoryMb }: Memory): number =>
  pool.memoryMb === undefined ? Infinity : Math.floor(memoryMb / pool.memoryMb);

/** Reason why a run of a task gets less memory than it may take; null if it gets enough, or if that is unknown. */
export function memoryShortage(task: Task, memoryMb: number | null): string | null {
  const wanted = task.run.resources.memoryMb;
  if (memoryMb === null || wanted <= memoryMb) return null;
  return (
    `run.resources.memoryMb: expected at most ${memoryMb} (the memory of a run there), got ${wanted}; ` +
    'lower it, or choose a pool with more'
  );
}
