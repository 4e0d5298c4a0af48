import { planIn } from '../../../domain/search/update/table.ts';
import type { Concluded, Outcome } from '../observer.ts';

/** Makes an update due with the outcome that completes its batch, so that none is forgotten or made twice. */
export async function learn({ tx, research, trial }: Outcome): Promise<Partial<Concluded>> {
  const plan = planIn(research.settings?.search ?? {});
  if (plan === null) return {};
  const { researchId, id: trialId } = trial;
  const k = await tx.learning.markDue({ researchId, trialId, size: plan.batch });
  if (k !== null) await tx.event.insertEvents([{ kind: 'update-due', researchId, data: { k, samples: plan.batch } }]);
  return {};
}
