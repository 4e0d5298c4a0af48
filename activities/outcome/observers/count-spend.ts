import { countOutcome } from '../../../domain/research/budget.ts';
import type { Concluded, Outcome } from '../observer.ts';

/** Counts what the trial took of the budget, and gives back what it did not need: once, as an outcome is heard of once. */
export async function countSpend({ tx, research, trial }: Outcome): Promise<Partial<Concluded>> {
  await tx.research.updateResearch(research.id, countOutcome(research, trial));
  return {};
}
