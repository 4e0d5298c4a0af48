import type { Environment } from '../schema/environment.ts';
import type { Run } from '../schema/run.ts';
import { readRequirement } from './requirement.ts';

/** What a task asks of the programs and folders of its machine. */
export interface ToolNeeds {
  path: string[];
  readable: string[];
  /** As the task has them. */
  requires: string[];
}

/** The keys of a task that ask it. */
interface Asking {
  run: Pick<Run, 'path' | 'readable'>;
  requires: string[];
  environment?: Environment | undefined;
}

/** Of a task with an environment neither its Python nor a module of it is asked for: that is built later. */
export const needsOf = ({ run, requires, environment }: Asking): ToolNeeds => ({
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
