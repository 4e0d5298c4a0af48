import { describe, expect, it, test } from 'vitest';
import { measurementChanges } from '../../../domain/task/measurement-changes.ts';
import { TASK } from '../../cli/support/lineage.ts';
import { learningProblems } from '../../../domain/task/contradictions/learning-problems.ts';
import type { Task } from '../../../domain/task/task.ts';
import { diskShortage } from '../../../domain/task/disk-shortage.ts';
import { changedTexts, describeUntriedTexts } from '../../../domain/task/starting-text.ts';

describe('what runs otherwise', () => {
  const { budget } = TASK.run;
  const longer = { ...TASK, run: { ...TASK.run, budget: { ...budget, seconds: budget.seconds + 1 } } };

  test('another budget and another command of a run are named, and nothing of what stayed', () => {
    expect(measurementChanges(TASK, TASK, [])).toEqual([]);
    expect(measurementChanges(TASK, longer, [])).toEqual(['run.budget']);
    expect(measurementChanges(TASK, { run: { ...longer.run, command: 'node other.mjs' } }, [])).toEqual([
      'run.command',
      'run.budget',
    ]);
  });

  test('another setup, other variables and immutable files that changed are named, the first files by their paths', () => {
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

  test('limits of a run that say nothing of its value are no other run', () => {
    const patient = { run: { ...TASK.run, timeoutSeconds: 999, graceSeconds: 7 } };
    expect(measurementChanges(TASK, patient, [])).toEqual([]);
  });
});

describe('learning', () => {
  const problems = (search: Partial<Task['search']>) =>
    learningProblems({ ...TASK, search: { ...TASK.search, ...search } });

  it('an update asks for a proposer with weights of its own, and for a reward', () => {
    expect(problems({ update: { name: 'grpo' }, proposer: 'llm', reward: 'none' })).toEqual([
      {
        path: ['search', 'proposer'],
        expected: 'one with weights of its own, since search.update grpo trains it',
        came: 'llm',
        todo: expect.stringMatching(/^set search\.update: none/),
      },
      {
        path: ['search', 'reward'],
        expected: 'a reward, since search.update grpo learns from it',
        came: 'none',
        todo: 'set search.reward: improvement, or search.update: none',
      },
    ]);
  });

  it('an update with a reward asks for no other one', () => {
    const paths = problems({ update: 'ppo', proposer: 'random', reward: { name: 'rank' } }).map(({ path }) => path);
    expect(paths).toEqual([['search', 'proposer']]);
  });

  it('where nothing is learnt nothing is asked for', () => {
    expect(problems({ update: 'none', proposer: 'llm', reward: 'none' })).toEqual([]);
  });
});

describe('what never fits', () => {
  const wanting = (diskMb: number) => ({
    ...TASK,
    run: { ...TASK.run, resources: { ...TASK.run.resources, diskMb } },
  });

  test.each([
    [488, 1000, null],
    [
      489,
      1000,
      /^run\.resources\.diskMb: expected at most 488 .*, came 489; lower it, or put PERPETUA_HOME on a larger/,
    ],
    [1, 300, /expected at most 0 \(the disk of the runs has 300 MiB in all/],
    [1_000_000, null, null],
  ])('a run that may take %i MiB of a disk of %s', (diskMb, size, said) => {
    const problem = diskShortage(wanting(diskMb), size);
    if (said === null) expect(problem).toBeNull();
    else expect(problem).toMatch(said);
  });
});

describe('the starting text', () => {
  const place = { task: '/my task', workspace: '/my task/workspace' };

  test('texts that changed or came are named, and none that stayed or went', () => {
    expect(changedTexts({ a: '1', b: '1', gone: '1' }, { new: '1', b: '2', a: '1' })).toEqual(['b', 'new']);
  });

  test('a new text has the whole commands that try it, and that begin with it', () => {
    expect(describeUntriedTexts('lab', [], place)).toBeUndefined();
    expect(describeUntriedTexts('lab', ['train.py'], place)).toBe(
      `The new starting text of train.py is not run by itself. To try it: node -p 'JSON.stringify({files:{"train.py":fs.readFileSync("/my task/workspace/train.py","utf8")},hypothesis:"the new starting text"})' > inject.json && temporal workflow signal --workflow-id lab --name inject --input-file inject.json. To begin with it under another id: npx perpetua start '/my task' --id lab-2`,
    );
  });

  test('more texts than an alert has room for are not put into a command', () => {
    expect(describeUntriedTexts('lab', ['a', 'b', 'c', 'd'], place)).toMatch(
      /^The new starting text of a, b, c and 1 more is not run by itself\. To try it: inject these files, as docs\/guides\/steering\.md shows\. /,
    );
  });
});
