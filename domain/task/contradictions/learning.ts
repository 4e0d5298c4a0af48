import { nameOf } from '../../search/axis.ts';
import type { Proposer } from '../../search/proposer.ts';
import { PROPOSERS } from '../../search/proposer/table.ts';
import { rewardOf } from '../../search/reward/table.ts';
import type { RewardRule } from '../../search/reward.ts';
import { planOf } from '../../search/update/table.ts';
import type { Problem } from '../issue.ts';
import type { Task } from '../task.ts';

/** What an update of the proposer asks for, and does not get. */
export function learning({ search }: Task): Problem[] {
  if (planOf(search.update) === null) return [];
  const update = nameOf(search.update) ?? '';
  return [...proposer(search, update), ...reward(search, update)];
}

function proposer({ proposer }: Task['search'], update: string): Problem[] {
  const name = nameOf(proposer) ?? '';
  if (LEARNERS.includes(name)) return [];
  const expected = `one with weights of its own, since search.update ${update} trains it`;
  const todo = ['set search.update: none', ...LEARNERS.map((one) => `search.proposer: ${one}`)].join(', or ');
  return [{ path: ['search', 'proposer'], expected, came: name, todo }];
}

const LEARNERS = Object.entries<Proposer>(PROPOSERS)
  .filter(([, { learns }]) => learns)
  .map(([name]) => name);

function reward({ reward }: Task['search'], update: string): Problem[] {
  const { method, settings } = rewardOf(reward);
  const { by }: RewardRule = method;
  if (by(settings) !== null) return [];
  return [
    {
      path: ['search', 'reward'],
      expected: `a reward, since search.update ${update} learns from it`,
      came: nameOf(reward) ?? '',
      todo: 'set search.reward: improvement, or search.update: none',
    },
  ];
}
