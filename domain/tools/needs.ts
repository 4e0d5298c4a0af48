import type { Environment } from '../schema/environment.ts';
import type { Run } from '../schema/run.ts';
import { readRequirement } from './requirement.ts';

/** Programs and folders that a task requires on its machine. */
export interface ToolNeeds {
  path: string[];
  readable: string[];
  /** Requirements as the task states them. */
  requires: string[];
}

/** Keys of a task that state requirements. */
interface TaskKeys {
  run: Pick<Run, 'path' | 'readable'>;
  requires: string[];
  environment?: Environment | undefined;
}

/** Needs of a task. For a task with an environment they omit Python and its modules, which are built later. */
export const needsOf = ({ run, requires, environment }: TaskKeys): ToolNeeds => ({
  path: run.path,
  readable: run.readable,
  requires: environment === undefined ? requires : requires.filter((text) => !isOfPython(text)),
});

function isOfPython(text: string): boolean {
  const requirement = readRequirement(text);
  return requirement?.kind === 'python' || /^python[\d.]*$/.test(requirement?.name ?? '');
}

export const asksNothing = ({ path, readable, requires }: ToolNeeds): boolean =>
  path.length + readable.length + requires.length === 0;
