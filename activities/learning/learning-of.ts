import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import { sampleRoom, type SampleRoom } from '../../domain/learning/place.ts';
import { planIn } from '../../domain/search/update/table.ts';

/** Room for samples of a policy that learns, and its updates that are due, by number; null where nothing learns. Under the research's lock. */
export async function learningOf(tx: TxStore, research: Research): Promise<(SampleRoom & { due: number[] }) | null> {
  const plan = planIn(research.settings?.search ?? {});
  if (plan === null) return null;
  const { id } = research;
  const { halted, pinned } = await tx.learning.openPolicy(id);
  const { closed, due, open } = await tx.learning.countUpdates(id);
  // A reward compares with the baseline: before it is measured there is none to learn from.
  if (research.gate.calibrating) return { room: 0, waits: null, due };
  const joined = await tx.learning.countRollouts(id);
  const at = { closed, due, joined, open, halted, pinned };
  return { ...sampleRoom(plan, at), due: halted === null && !pinned ? due : [] };
}
