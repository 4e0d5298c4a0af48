import { expect, test } from 'vitest';
import { mostCpuSeconds } from '../../../domain/job/charge.ts';
import { running } from '../../../domain/task/contradictions/running.ts';
import { TASK } from '../../cli/support/lineage.ts';

test.each([
  [{ kind: 'wall', seconds: 3 }, 9, null],
  [{ kind: 'cpu', seconds: 4 }, null, 6],
  [{ kind: 'cpu', seconds: 4 }, 9, 6],
  [{ kind: 'cpu', seconds: 4, most: 3 }, null, 12],
  // A core as slow as there is, until the unmodified version has shown what its seconds come to.
  [{ kind: 'reference', seconds: 4 }, null, 12],
  [{ kind: 'reference', seconds: 4, most: 5 }, null, 20],
  [{ kind: 'reference', seconds: 4 }, 6, 9],
  [{ kind: 'reference', seconds: 4, most: 2 }, 6, 12],
  // A core that is faster than the reference's gives no less than the budget.
  [{ kind: 'reference', seconds: 4 }, 2, 6],
] as const)(
  'a budget of %j, of which the unmodified version takes %s s of CPU, allows %s',
  (budget, unmodified, most) => {
    expect(mostCpuSeconds(budget, unmodified)).toBe(most);
  },
);

test('a budget of wall clock counts no CPU seconds', () => {
  const problemsOf = (kind: 'cpu' | 'wall') =>
    running({ ...TASK, run: { ...TASK.run, budget: { seconds: 2, kind, most: 2 } } }).filter(({ path }) =>
      path.includes('budget'),
    );
  expect(problemsOf('cpu')).toEqual([]);
  expect(problemsOf('wall')).toEqual([
    {
      path: ['run', 'budget', 'most'],
      expected: 'kind cpu or reference beside it, since it counts CPU seconds',
      came: 'the number 2 beside kind wall',
      todo: 'leave it out and set run.timeoutSeconds',
    },
  ]);
});
