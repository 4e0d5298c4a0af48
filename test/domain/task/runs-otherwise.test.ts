import { expect, test } from 'vitest';
import { runsOtherwise } from '../../../domain/task/runs-otherwise.ts';
import { TASK } from '../../cli/support/lineage.ts';

test('another budget and another command of a run are named, and nothing of what stayed', () => {
  const { budget } = TASK.run;
  const longer = { run: { ...TASK.run, budget: { ...budget, seconds: budget.seconds + 1 } } };
  expect(runsOtherwise(TASK, TASK)).toEqual([]);
  expect(runsOtherwise(TASK, longer)).toEqual(['run.budget']);
  expect(runsOtherwise(TASK, { run: { ...longer.run, command: 'node other.mjs' } })).toEqual([
    'run.command',
    'run.budget',
  ]);
});
