import { type Problem, describeValue } from '../../issue/problem.ts';
import { asSettings } from '../../method/axis.ts';
import { makersAt } from '../../task/contradictions/mixture-problems.ts';
import type { Task } from '../../task/task.ts';
import { ownsPath } from './specialist.ts';

/** Problems of the specialists of a task: parts without a mutable file. */
export function specialistProblems(task: Task, mutablePaths: readonly string[]): Problem[] {
  return makersAt(task).flatMap(({ maker: { method, settings }, path }): Problem[] => {
    const specialist = method.specialist?.(asSettings(settings)) ?? null;
    if (specialist?.owns === undefined || mutablePaths.some((file) => ownsPath(specialist, file))) return [];
    return [
      {
        path: [...path, 'specialist', 'owns'],
        expected: `globs that match a mutable file, such as ${mutablePaths[0] ?? 'train.py'}`,
        got: describeValue(specialist.owns.join(', ')),
        todo: 'correct the globs',
      },
    ];
  });
}
