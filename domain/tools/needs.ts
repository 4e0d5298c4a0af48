import type { Task } from '../task/task.ts';

/** What a task asks of the programs and folders of its machine. */
export interface Needs {
  path: string[];
  readable: string[];
  /** As the task has them. */
  requires: string[];
}

export const needsOf = ({ run, requires }: Pick<Task, 'run' | 'requires'>): Needs => ({
  path: run.path,
  readable: run.readable,
  requires,
});

export const asksNothing = ({ path, readable, requires }: Needs): boolean =>
  path.length + readable.length + requires.length === 0;
