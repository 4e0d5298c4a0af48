import type { FleetSlot } from './slots.ts';

/** A slot that is lent although its host does not give it any more: the fleet was changed under a run. */
export interface HeldSlot {
  id: string;
  pool: string;
  gpu: string | null;
}

/** Leaves out slots that would share a GPU, or the host, with what is still held of an earlier shape. */
export function withoutHeld(of: { pool: string; slots: readonly FleetSlot[]; held: readonly HeldSlot[] }): FleetSlot[] {
  const { pool, slots, held } = of;
  return slots.filter((slot) => !held.some((other) => collide(slot, other, pool)));
}

function collide(slot: FleetSlot, held: HeldSlot, pool: string): boolean {
  if (slot.key === 'host' || held.id.endsWith('/host')) return true;
  if (slot.gpu === null && held.gpu === null) return held.pool !== pool || coresOf(slot.key) !== coresOf(held.id);
  const theirs = held.gpu?.split(',') ?? [];
  return slot.gpu?.split(',').some((gpu) => theirs.includes(gpu)) ?? false;
}

/** Cores of a slot, of its key or id: `2` and `h/p/2` have one, `4c2` has four. */
const coresOf = (name: string): string => /(\d+)c\d+$/.exec(name)?.[1] ?? '1';
