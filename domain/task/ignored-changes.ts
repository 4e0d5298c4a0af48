import { choiceName } from '../method/axis.ts';
import { shellWord } from '../text/shell-word.ts';
import { budgetCommand, windowCommand } from '../messages/steer-commands.ts';
import { type Budget, LIMITS } from '../schema/budget.ts';
import type { Task } from './task.ts';

/**
 * Settings of a research that a new version of its task does not change. They were set at its start, or by a person
 * since.
 */
export interface ResearchSettings {
  id: string;
  budget: Budget;
  proposer: string;
}

type Settings = Pick<Task, 'name' | 'budget' | 'search'>;

/**
 * Changes in a new version of a task that a running research does not adopt, each with its value and the command to
 * adopt it. Empty if the research adopts everything.
 */
export function ignoredChanges(before: Settings, after: Settings, research: ResearchSettings): string[] {
  const limits = ([...LIMITS, 'counts', 'whenSpent'] as const).filter(
    (key) => differ(before.budget[key], after.budget[key]) && differ(research.budget[key], after.budget[key]),
  );
  const changes: string[] = [];
  if (limits.length > 0) {
    const budget = Object.fromEntries(limits.map((key) => [key, after.budget[key] ?? null]));
    const command = budgetCommand(research.id, budget);
    const values = limits.map((key) => `budget.${key} ${valueText(after.budget[key])}`).join(', ');
    changes.push(`${values} (to apply it: ${command})`);
  }
  const { proposer, window } = after.search;
  const name = choiceName(proposer);
  if (differ(proposer, before.search.proposer) && name !== research.proposer) {
    const id = shellWord(research.id);
    const start = `npx perpetua start ${shellWord(after.name)} --id ${id} --proposer ${name}`;
    changes.push(`search.proposer ${name} (to apply it: npx perpetua stop ${id}, then ${start})`);
  }
  if (window !== before.search.window) {
    const command = windowCommand(research.id, window);
    changes.push(`search.window ${window} (to apply it: ${command})`);
  }
  return changes;
}

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
const valueText = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
