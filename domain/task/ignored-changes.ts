import { choiceName } from '../method/axis.ts';
import { shellWord } from '../text/shell-word.ts';
import { updateCommand } from '../messages/temporal-command.ts';
import { type Budget, LIMITS } from '../schema/budget.ts';
import type { Task } from './task.ts';

/** What a research goes by whatever version of its task it runs: set when it began, and by a person since. */
export interface ResearchSettings {
  id: string;
  budget: Budget;
  proposer: string;
}

type Settings = Pick<Task, 'name' | 'budget' | 'search'>;

/**
 * What another version of a task says anew and a running research does not take from it, each with what it says and how to
 * have it; empty where nothing is left out.
 */
export function ignoredChanges(before: Settings, after: Settings, own: ResearchSettings): string[] {
  const limits = ([...LIMITS, 'counts', 'whenSpent'] as const).filter(
    (key) => differ(before.budget[key], after.budget[key]) && differ(own.budget[key], after.budget[key]),
  );
  const budget = Object.fromEntries(limits.map((key) => [key, after.budget[key] ?? null]));
  const { proposer, window } = after.search;
  const id = shellWord(own.id);
  const anew = `npx perpetua stop ${id}, then npx perpetua start ${shellWord(after.name)} --id ${id} --proposer ${choiceName(proposer)}`;
  return [
    ...(limits.length === 0
      ? []
      : [
          `${limits.map((key) => `budget.${key} ${said(after.budget[key])}`).join(', ')} (to have it: ${updateCommand({ id: own.id, name: 'setBudget', input: budget })})`,
        ]),
    ...(differ(proposer, before.search.proposer) && choiceName(proposer) !== own.proposer
      ? [`search.proposer ${choiceName(proposer)} (to have it: ${anew})`]
      : []),
    ...(window === before.search.window
      ? []
      : [
          `search.window ${window} (to have it: ${updateCommand({ id: own.id, name: 'setWindow', input: { window } })})`,
        ]),
  ];
}

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
const said = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
