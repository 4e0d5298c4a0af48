import { countOutcome } from '../../../domain/research/budget.ts';
import type { Conclusions, Outcome } from '../observer.ts';

/**
 * Counts a trial's spend on the budget and returns what was reserved for it and not used; once, as for any observer.
 */
export async function countSpend({ tx, research, trial }: Outcome): Promise<Partial<Conclusions>> {
  await tx.research.updateResearch(research.id, countOutcome(research, trial));
  return {};
}
