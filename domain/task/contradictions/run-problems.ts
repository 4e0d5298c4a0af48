import { type Problem, describeValue } from '../../issue/problem.ts';
import { isPlatformVariable, platformVariableProblem, platformVariableProblems } from '../platform-variables.ts';
import { readRequirement } from '../../tools/requirement.ts';
import type { Task } from '../task.ts';
import { timeLimitOf } from '../../job/time-limit.ts';

/** Largest number of seconds from TERM to KILL. */
const MOST_GRACE = 3600;

/** Contradictions in `run`, and unreadable entries of `requires`. */
export function runProblems(task: Task): Problem[] {
  return [...times(task), ...environment(task), ...artefacts(task), ...requirements(task)];
}

function requirements({ requires }: Task): Problem[] {
  return requires.flatMap((text, i): Problem[] => {
    if (readRequirement(text) !== null) return [];
    const expected =
      'a program with or without a version (python3>=3.10, nvidia-smi), or a module of python3 (import numpy)';
    return [{ path: ['requires', i], expected, got: describeValue(text), todo: 'write it like one of these' }];
  });
}

function times(task: Task): Problem[] {
  const { run, progress } = task;
  const problems: Problem[] = [];
  if (run.budget.kind === 'wall' && run.budget.most !== undefined)
    problems.push({
      path: ['run', 'budget', 'most'],
      expected: 'kind cpu or reference, since most limits CPU seconds',
      got: `${describeValue(run.budget.most)} with kind wall`,
      todo: 'remove it, and set run.timeoutSeconds',
    });
  if (run.timeoutSeconds !== undefined && run.timeoutSeconds < run.budget.seconds)
    problems.push({
      path: ['run', 'timeoutSeconds'],
      expected: `at least run.budget.seconds, ${run.budget.seconds}`,
      got: describeValue(run.timeoutSeconds),
      todo: 'raise it or leave it out (default: 2 × budget + 30)',
    });
  if (run.graceSeconds > MOST_GRACE)
    problems.push({
      path: ['run', 'graceSeconds'],
      expected: `at most ${MOST_GRACE} seconds, for which a stopped run may hold its slot`,
      got: describeValue(run.graceSeconds),
      todo: 'lower it',
    });
  if (progress?.stallSeconds !== undefined && progress.stallSeconds >= timeLimitOf(task))
    problems.push({
      path: ['progress', 'stallSeconds'],
      expected: `less than the run's time limit, ${timeLimitOf(task)} seconds`,
      got: describeValue(progress.stallSeconds),
      todo: 'lower it: the time limit would always end the run first',
    });
  return problems;
}

function environment({ run }: Task): Problem[] {
  return [
    ...run.passEnv.flatMap((name, i): Problem[] => {
      const path = ['run', 'passEnv', i];
      if (isPlatformVariable(name)) return [platformVariableProblem(name, path)];
      if (Object.hasOwn(run.env, name))
        return [
          {
            path,
            expected: 'a name that run.env does not set',
            got: describeValue(name),
            todo: 'keep one of the two',
          },
        ];
      return [];
    }),
    ...platformVariableProblems(run.env, ['run', 'env']),
  ];
}

function artefacts({ run, evaluator }: Task): Problem[] {
  const seen = new Set<string>();
  const problems = run.artefacts.flatMap(({ path, maxMb }, i): Problem[] => {
    const at = ['run', 'artefacts', i];
    const again = seen.has(path);
    seen.add(path);
    if (again)
      return [
        { path: [...at, 'path'], expected: 'each artefact once', got: describeValue(path), todo: 'remove the second' },
      ];
    if (maxMb > run.resources.diskMb)
      return [
        {
          path: [...at, 'maxMb'],
          expected: `at most run.resources.diskMb, ${run.resources.diskMb}`,
          got: describeValue(maxMb),
          todo: 'lower it or raise diskMb',
        },
      ];
    return [];
  });
  if (evaluator.type === 'artefact' && run.artefacts.length === 0)
    problems.push({
      path: ['run', 'artefacts'],
      expected: 'at least one artefact, since evaluator.type is artefact',
      got: 'an empty list',
      todo: 'name the files that the run leaves behind and the evaluator reads',
    });
  return problems;
}
