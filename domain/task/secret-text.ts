import type { Task } from './task.ts';

/** The text that a task's secret is made from with the installation's; null where its evaluator draws nothing. */
export const secretText = ({ name, evaluator }: Pick<Task, 'name' | 'evaluator'>): string | null =>
  evaluator.type === 'none' || (evaluator.draws ?? []).length === 0 ? null : `task\n${name}`;
