import type { Phase } from '../../domain/research/phase.ts';
import { LIMIT_OPTIONS, LIMITS, type Limit } from '../../domain/schema/budget.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { budgetCommand } from '../../domain/messages/steer-commands.ts';
import { type BudgetUse, isSpent } from '../budget.ts';
import { hasEnded } from '../phase.ts';

/** Limits of a budget that are reached. */
export const spentLimits = (budget: BudgetUse): Limit[] => LIMITS.filter((key) => isSpent(budget[key]));

/** The command that raises each reached limit by half and continues the research; null if no limit is reached. */
export function raiseCommand(research: { id: string; task: string; phase: Phase; budget: BudgetUse }): string | null {
  const { id, task, phase, budget } = research;
  const raised = spentLimits(budget).map((key) => {
    const { spent, limit } = budget[key];
    const more = Math.max(spent, limit ?? 0) * 1.5;
    // A small budget of dollars or hours is not rounded to a whole number, which could be many times the budget.
    const isSmall = more < 3 && (key === 'usd' || key === 'hours' || key === 'hoursWithoutClaim');
    return [key, isSmall ? Number(more.toPrecision(2)) : Math.ceil(more)] as const;
  });
  if (raised.length === 0) return null;
  if (!hasEnded(phase)) return budgetCommand(id, Object.fromEntries(raised));
  const options = raised.map(([key, limit]) => `--budget-${LIMIT_OPTIONS[key]} ${limit}`).join(' ');
  return `npx perpetua start ${shellWord(task)} --id ${shellWord(id)} ${options}`;
}
