import { expect, test } from 'vitest';
import { runsOtherwise } from '../../../domain/task/runs-otherwise.ts';
import { TASK } from '../../cli/support/lineage.ts';

const { budget } = TASK.run;
const longer = { ...TASK, run: { ...TASK.run, budget: { ...budget, seconds: budget.seconds + 1 } } };

test('another budget and another command of a run are named, and nothing of what stayed', () => {
  expect(runsOtherwise(TASK, TASK, [])).toEqual([]);
  expect(runsOtherwise(TASK, longer, [])).toEqual(['run.budget']);
  expect(runsOtherwise(TASK, { run: { ...longer.run, command: 'node other.mjs' } }, [])).toEqual([
    'run.command',
    'run.budget',
  ]);
});

test('another setup, other variables and immutable files that changed are named, the first files by their paths', () => {
  const other = {
    run: { ...TASK.run, env: { THREADS: '2' } },
    setup: { commands: ['make'], network: false, timeoutSeconds: 60 },
  };
  expect(runsOtherwise(TASK, other, ['a.csv', 'b.csv'])).toEqual([
    'run.env',
    'setup.commands',
    'a.csv and b.csv (immutable)',
  ]);
  expect(runsOtherwise(TASK, TASK, ['a', 'b', 'c', 'd', 'e'])).toEqual(['a, b, c and 2 more (immutable)']);
});

test('limits of a run that say nothing of its value are no other run', () => {
  const patient = { run: { ...TASK.run, timeoutSeconds: 999, graceSeconds: 7 } };
  expect(runsOtherwise(TASK, patient, [])).toEqual([]);
});
