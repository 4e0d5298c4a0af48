import type { RaceWait } from '../../domain/gate/gate.ts';
import { plural } from '../../domain/text/plural.ts';
import type { BudgetUse } from '../budget.ts';

/** Limits that, once they are reached, let no run begin, not even one of a race. */
const FINAL = ['hours', 'slotSeconds', 'tokens', 'usd'] as const;

type Limits = Pick<BudgetUse, 'trials' | 'proposals' | (typeof FINAL)[number]>;

/**
 * What the race of a lead waits for, in words; null where it is about to begin. If the search ends before the budget of races
 * has saved up enough, that end is what it waits for: then the lead is raced all the same.
 */
export function describeRaceWait(wait: RaceWait | null, limits: Limits): string | null {
  if (wait === null || wait.runs === null) return wait?.words ?? null;
  const left = Math.min(leftOf(limits.trials), leftOf(limits.proposals));
  const final = FINAL.filter((key) => limits[key].limit !== null).map((key) => `budget.${key}`);
  const unless =
    final.length === 0 ? '' : `; if ${final.join(' or ')} is spent first, it is not raced until you raise that`;
  if (wait.runs <= left) return wait.words + unless;
  const end = left > 0 ? `the end of the search, after ${plural(left, 'more trial')} at most` : 'what is under way';
  return `${end}: it is raced then, whatever earlier races took${unless}`;
}

const leftOf = ({ spent, limit }: Limits['trials']): number => (limit === null ? Infinity : Math.max(0, limit - spent));
