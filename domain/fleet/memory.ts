import type { Task } from '../task/task.ts';
import type { FleetPool } from './fleet.ts';

/** Memory of a host, in MiB. */
interface Memory {
  memoryMb: number;
}

/** A machine says a little less than what it is sold with: firmware and kernel keep some. */
const KEPT = 1.1;

/** MiB that a run on a host may take: its slot's, where the pool gives slots some, else all there is and a tenth; null before a look. */
export const memoryForRun = (pool: FleetPool, facts: Memory | null): number | null =>
  // A look of an older version noted none.
  pool.memoryMb ?? (facts?.memoryMb === undefined ? null : Math.floor(facts.memoryMb * KEPT));

/** Slots that the memory of a host has room for. */
export const slotsInMemory = (pool: FleetPool, { memoryMb }: Memory): number =>
  pool.memoryMb === undefined ? Infinity : Math.floor(memoryMb / pool.memoryMb);

/** Why a run of that task gets less memory there than it may take, in words; null where it gets as much, or nobody knows. */
export function memoryShortage(task: Task, memoryMb: number | null): string | null {
  const wanted = task.run.resources.memoryMb;
  if (memoryMb === null || wanted <= memoryMb) return null;
  return `run.resources.memoryMb: expected at most ${memoryMb} (what a run may ask for there), came ${wanted}; lower it, or ask for a pool with more`;
}
