import type { Placed } from './placed.ts';

/** Frees the slot of a run, whoever follows it by now; true where it was still held. */
export const release = async ({ deps, key }: Pick<Placed, 'deps' | 'key'>): Promise<boolean> =>
  deps.store.run.freeSlotOf(key);
