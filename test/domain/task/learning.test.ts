import { expect, it } from 'vitest';
import { learning } from '../../../domain/task/contradictions/learning.ts';
import type { Task } from '../../../domain/task/task.ts';
import { TASK } from '../../cli/support/lineage.ts';

const problems = (search: Partial<Task['search']>) => learning({ ...TASK, search: { ...TASK.search, ...search } });

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
