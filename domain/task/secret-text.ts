import type { Task } from './task.ts';

/** Text from which a task's secret is derived, with the installation's secret; null if its evaluator draws no files. */
export const secretText = ({ name, evaluator }: Pick<Task, 'name' | 'evaluator'>): string | null =>
  evaluator.type === 'none' || (evaluator.draws ?? []).length === 0 ? null : `task\n${name}`;
