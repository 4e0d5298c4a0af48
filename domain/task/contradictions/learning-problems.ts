import { choiceName } from '../../method/axis.ts';
import { learns, proposersThat } from '../../search/proposer/makers.ts';
import { rewardIn } from '../../search/reward/table.ts';
import { updatePlanOf } from '../../search/update/table.ts';
import type { Problem } from '../../issue/problem.ts';
import type { Task } from '../task.ts';

/** Problems of a learning update whose requirements the proposer or the reward does not meet. */
export function learningProblems({ search }: Task): Problem[] {
  if (updatePlanOf(search.update) === null) return [];
  const update = choiceName(search.update) ?? '';
  return [...proposer(search, update), ...reward(search, update), ...cache(search, update)];
}

function proposer({ proposer }: Task['search'], update: string): Problem[] {
  if (learns(proposer)) return [];
  const expected = `a proposer with weights, since search.update ${update} trains it`;
  const todo = [
    'set search.update: none',
    ...proposersThat(({ learners }) => learners.length > 0).map((name) => `search.proposer: ${name}`),
  ].join(', or ');
  return [{ path: ['search', 'proposer'], expected, got: choiceName(proposer) ?? '', todo }];
}

function cache({ cache }: Task['search'], update: string): Problem[] {
  if (cache !== true) return [];
  return [
    {
      path: ['search', 'cache'],
      expected: `false, since search.update ${update} learns only from runs of its own research`,
      got: 'true',
      todo: 'remove search.cache, or set search.update: none',
    },
  ];
}

function reward({ reward }: Task['search'], update: string): Problem[] {
  if (rewardIn({ reward }) !== null) return [];
  return [
    {
      path: ['search', 'reward'],
      expected: `a reward, since search.update ${update} learns from it`,
      got: choiceName(reward) ?? '',
      todo: 'set search.reward: improvement, or search.update: none',
    },
  ];
}
