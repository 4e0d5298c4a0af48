import { expect, test } from 'vitest';
import { IGNORE_TERM } from '../../../domain/attack/attacks/limits.ts';
import { running } from '../../../domain/task/contradictions/running.ts';
import type { Task } from '../../../domain/task/task.ts';
import { timeLimitOf } from '../../../domain/job/time-limit.ts';
import { TASK } from '../../cli/support/lineage.ts';

const taskWith = (run: Partial<Task['run']>): Task => ({ ...TASK, run: { ...TASK.run, ...run } });

test.each([
  [{ kind: 'wall', seconds: 3 }, undefined, 36],
  [{ kind: 'cpu', seconds: 100 }, undefined, 230],
  [{ kind: 'reference', seconds: 3 }, undefined, 36],
  [{ kind: 'reference', seconds: 100 }, undefined, 600],
  [{ kind: 'reference', seconds: 100 }, 150, 150],
] as const)('a budget of %j and timeoutSeconds %s give a run %s s of wall clock', (budget, timeoutSeconds, limit) => {
  expect(timeLimitOf(taskWith({ budget, timeoutSeconds }))).toBe(limit);
});

const SLOW = { budget: { kind: 'reference', seconds: 100 }, timeoutSeconds: undefined } as const;

test('a silence may last longer than 2 × budget + 30 where the run may', () => {
  const problemsOf = (stallSeconds: number) =>
    running({ ...taskWith(SLOW), progress: { ...TASK.progress!, stallSeconds } }).filter(({ path }) =>
      path.includes('stallSeconds'),
    );
  expect(problemsOf(400)).toEqual([]);
  expect(problemsOf(600)).toMatchObject([{ expected: "less than the run's time limit, 600 seconds" }]);
});

test('an attack that runs until its limit says that limit', () => {
  const target = { task: taskWith(SLOW), immutable: [], mark: 'm', secrets: [], ports: [] };
  expect(IGNORE_TERM.heavy?.(target)).toContain('600 s');
});
