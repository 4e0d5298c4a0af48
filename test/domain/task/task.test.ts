import { describe, expect, it, test } from 'vitest';
import { measurementChanges } from '../../../domain/task/measurement-changes.ts';
import { TASK } from '../../cli/support/lineage.ts';
import { learningProblems } from '../../../domain/task/contradictions/learning-problems.ts';
import type { Task } from '../../../domain/task/task.ts';
import { diskShortage } from '../../../domain/task/disk-shortage.ts';
import { changedTexts, describeUntriedTexts } from '../../../domain/task/starting-text.ts';

describe('changes of a measurement', () => {
  const { budget } = TASK.run;
  const longer = { ...TASK, run: { ...TASK.run, budget: { ...budget, seconds: budget.seconds + 1 } } };

  test('another budget and another command of a run are named, but no unchanged key', () => {
    expect(measurementChanges(TASK, TASK, [])).toEqual([]);
    expect(measurementChanges(TASK, longer, [])).toEqual(['run.budget']);
    expect(measurementChanges(TASK, { run: { ...longer.run, command: 'node other.mjs' } }, [])).toEqual([
      'run.command',
      'run.budget',
    ]);
  });

  test('another setup, other variables and changed immutable files are named, the first files by their paths', () => {
    const other = {
      run: { ...TASK.run, env: { THREADS: '2' } },
      setup: { commands: ['make'], network: false, timeoutSeconds: 60 },
    };
    expect(measurementChanges(TASK, other, ['a.csv', 'b.csv'])).toEqual([
      'run.env',
      'setup.commands',
      'a.csv and b.csv (immutable)',
    ]);
    expect(measurementChanges(TASK, TASK, ['a', 'b', 'c', 'd', 'e'])).toEqual(['a, b, c and 2 more (immutable)']);
  });

  test('limits of a run that do not affect its value are no change', () => {
    const patient = { run: { ...TASK.run, timeoutSeconds: 999, graceSeconds: 7 } };
    expect(measurementChanges(TASK, patient, [])).toEqual([]);
  });
});

describe('learning', () => {
  const problems = (search: Partial<Task['search']>) =>
    learningProblems({ ...TASK, search: { ...TASK.search, ...search } });

  it('an update requires a proposer with weights, and a reward', () => {
    expect(problems({ update: { name: 'grpo' }, proposer: 'llm', reward: 'none' })).toEqual([
      {
        path: ['search', 'proposer'],
        expected: 'a proposer with weights, since search.update grpo trains it',
        got: 'llm',
        todo: expect.stringMatching(/^set search\.update: none/),
      },
      {
        path: ['search', 'reward'],
        expected: 'a reward, since search.update grpo learns from it',
        got: 'none',
        todo: 'set search.reward: improvement, or search.update: none',
      },
    ]);
  });

  it('with a reward set, only the proposer is a problem', () => {
    const paths = problems({ update: 'ppo', proposer: 'random', reward: { name: 'rank' } }).map(({ path }) => path);
    expect(paths).toEqual([['search', 'proposer']]);
  });

  it('without an update, there is no problem', () => {
    expect(problems({ update: 'none', proposer: 'llm', reward: 'none' })).toEqual([]);
  });
});

describe('the disk limit of a task', () => {
  const wanting = (diskMb: number) => ({
    ...TASK,
    run: { ...TASK.run, resources: { ...TASK.run.resources, diskMb } },
  });

  test.each([
    [488, 1000, null],
    [
      489,
      1000,
      /^run\.resources\.diskMb: expected at most 488 .*, got 489; lower it, or put PERPETUA_HOME on a larger/,
    ],
    [1, 300, /expected at most 0 \(the disk of the runs has 300 MiB in all/],
    [1_000_000, null, null],
  ])('is checked for a run that may use %i MiB of a disk of %s', (diskMb, size, message) => {
    const problem = diskShortage(wanting(diskMb), size);
    if (message === null) expect(problem).toBeNull();
    else expect(problem).toMatch(message);
  });
});

describe('the starting text', () => {
  const paths = { task: '/my task', workspace: '/my task/workspace' };

  test('changed and new texts are named, but no unchanged or removed ones', () => {
    expect(changedTexts({ a: '1', b: '1', gone: '1' }, { new: '1', b: '2', a: '1' })).toEqual(['b', 'new']);
  });

  test('the alert gives the commands to try a new text and to start a research from it', () => {
    expect(describeUntriedTexts('lab', [], paths)).toBeUndefined();
    expect(describeUntriedTexts('lab', ['train.py'], paths)).toBe(
      'The research does not run the new starting text of train.py by itself. ' +
        `To try it: npx perpetua inject lab --file 'train.py=/my task/workspace/train.py' ` +
        `-m 'the new starting text'. ` +
        `To start from it under another id: npx perpetua start '/my task' --id lab-2`,
    );
  });

  test('an alert about more texts than fit into it refers to the guide instead of a command', () => {
    const alert = describeUntriedTexts('lab', ['a', 'b', 'c', 'd'], paths);
    expect(alert).toMatch(/^The research does not run the new starting text of a, b, c and 1 more by itself\. /);
    expect(alert).toMatch(/\. To try it: inject these files, as docs\/guides\/steering\.md shows\. /);
  });
});
