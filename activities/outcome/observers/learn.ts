import { planIn } from '../../../domain/search/update/table.ts';
import type { Concluded, Outcome } from '../observer.ts';

/** Makes an update due with the outcome that completes its batch, so that none is forgotten or made twice. */
export async function learn({ tx, research }: Outcome): Promise<Partial<Concluded>> {
  const plan = planIn(research.settings?.search ?? {});
  if (plan === null) return {};
  const { id: researchId } = research;
  const due = await tx.learning.markDue({ researchId, size: plan.batch });
  if (due.length === 0) return {};
  const { pinned } = await tx.learning.openPolicy(researchId);
  for (const k of due) {
    // Kept, they would all be learnt from at once when the pin is taken off.
    if (pinned) await tx.learning.endUpdate({ researchId, k, state: 'empty', reason: 'the policy was pinned' });
    else await tx.event.insertEvents([{ kind: 'update-due', researchId, data: { k, samples: plan.batch } }]);
  }
  return {};
}
