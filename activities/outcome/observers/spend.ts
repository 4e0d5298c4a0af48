import { countedWith } from '../../../domain/research/budget.ts';
import type { Concluded, Outcome } from '../observer.ts';

/** Counts what the trial took of the budget, and gives back what it did not need: once, as an outcome is heard of once. */
export async function spend({ tx, research, trial }: Outcome): Promise<Partial<Concluded>> {
  await tx.research.updateResearch(research.id, countedWith(research, trial));
  return {};
}
