import { updatePlanIn } from '../../../domain/search/update/table.ts';
import { markDue } from '../../learning/mark-due.ts';
import type { Conclusions, Outcome } from '../observer.ts';

/** Makes an update due with the outcome that completes its batch, so that none is forgotten or made twice. */
export async function markUpdateDue(
  { tx, research }: Outcome,
  { advance }: Conclusions,
): Promise<Partial<Conclusions>> {
  const plan = updatePlanIn(research.settings?.search ?? {});
  if (plan !== null) await markDue({ tx, research, gate: advance?.state ?? research.gate }, plan);
  return {};
}
