import { nameOf } from '../search/axis.ts';
import { type Budget, LIMITS } from './schema/budget.ts';
import type { Task } from './task.ts';

/** What a research goes by whatever version of its task it runs: set when it began, and by a person since. */
export interface OwnSettings {
  budget: Budget;
  proposer: string;
}

type Settings = Pick<Task, 'budget' | 'search'>;

/**
 * What another version of a task says anew and a running research does not take from it, each with what it says and how to
 * have it; empty where nothing is left out.
 */
export function notTaken(before: Settings, after: Settings, own: OwnSettings): string[] {
  const limits = ([...LIMITS, 'counts', 'whenSpent'] as const)
    .filter((key) => differ(before.budget[key], after.budget[key]) && differ(own.budget[key], after.budget[key]))
    .map((key) => `budget.${key} ${said(after.budget[key])} (setBudget changes it)`);
  const { proposer, window } = after.search;
  return [
    ...limits,
    ...(differ(proposer, before.search.proposer) && nameOf(proposer) !== own.proposer
      ? [`search.proposer ${nameOf(proposer)} (stop it, and start it again with --proposer)`]
      : []),
    ...(window === before.search.window ? [] : [`search.window ${window} (setWindow changes it)`]),
  ];
}

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
const said = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
