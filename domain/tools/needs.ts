import type { Task } from '../task/task.ts';
import { readRequirement } from './requirement.ts';

/** What a task asks of the programs and folders of its machine. */
export interface Needs {
  path: string[];
  readable: string[];
  /** As the task has them. */
  requires: string[];
}

/** Of a task with an environment neither its Python nor a module of it is asked for: that is built later. */
export const needsOf = ({ run, requires, environment }: Pick<Task, 'run' | 'requires' | 'environment'>): Needs => ({
  path: run.path,
  readable: run.readable,
  requires: environment === undefined ? requires : requires.filter((text) => !isOfPython(text)),
});

function isOfPython(text: string): boolean {
  const requirement = readRequirement(text);
  return requirement?.kind === 'python' || /^python[\d.]*$/.test(requirement?.name ?? '');
}

export const asksNothing = ({ path, readable, requires }: Needs): boolean =>
  path.length + readable.length + requires.length === 0;
