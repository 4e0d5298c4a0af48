import type { Problem } from '../issue/problem.ts';
import type { Task } from '../task/task.ts';
import { checkFiles } from './check-files.ts';

/** Problems of the checks before a run: the unmodified files, by path, must pass them. */
export function preflightProblems({ preflight }: Task, files: Readonly<Record<string, string>>): Problem[] {
  if (preflight === undefined) return [];
  const failure = checkFiles(files, preflight);
  if (failure === null) return [];
  const key = failure.label === 'size-blocked' ? 'maxBytes' : 'forbidden';
  return [
    {
      path: ['preflight', key],
      expected: 'checks that the unmodified files pass',
      got: failure.message,
      todo: 'change the key or the files',
    },
  ];
}
