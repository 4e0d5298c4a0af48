import type { Task } from './task.ts';

/** What another version runs otherwise, by its keys: what was measured under the one says less of the other. */
export function runsOtherwise(before: Pick<Task, 'run'>, after: Pick<Task, 'run'>): string[] {
  return (['command', 'budget'] as const)
    .filter((key) => JSON.stringify(before.run[key]) !== JSON.stringify(after.run[key]))
    .map((key) => `run.${key}`);
}
