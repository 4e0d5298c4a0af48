import { type Problem, describeValue } from '../../issue/problem.ts';
import { asSettings } from '../../method/axis.ts';
import { makersAt } from '../../task/contradictions/mixture-problems.ts';
import type { Task } from '../../task/task.ts';
import { ownsPath } from './specialist.ts';

/** Problems of the specialists of a task: names that are not unique, and parts without a mutable file. */
export function specialistProblems(task: Task, mutablePaths: readonly string[]): Problem[] {
  const named = makersAt(task).flatMap(({ maker: { method, settings }, path }) => {
    const specialist = method.specialist?.(asSettings(settings)) ?? null;
    return specialist === null ? [] : [{ specialist, path: [...path, 'specialist'] }];
  });
  return named.flatMap(({ specialist, path }, index) => {
    const { name, owns } = specialist;
    const problems: Problem[] = [];
    if (named.slice(0, index).some((other) => other.specialist.name === name))
      problems.push({
        path: [...path, 'name'],
        expected: 'a name of its own for each specialist',
        got: describeValue(name),
        todo: 'rename one',
      });
    if (owns !== undefined && !mutablePaths.some((file) => ownsPath(specialist, file)))
      problems.push({
        path: [...path, 'owns'],
        expected: `globs that match a mutable file, such as ${mutablePaths[0] ?? 'train.py'}`,
        got: describeValue(owns),
        todo: 'correct the globs',
      });
    return problems;
  });
}
