import { expect, test } from 'vitest';
import { rewardBy, scored } from './scored.ts';

test.each([
  ['the first', { scored: 0, worse: 0, equal: 0 }, 0.5],
  ['the best', { scored: 4, worse: 4, equal: 0 }, 1],
  ['the worst', { scored: 4, worse: 0, equal: 0 }, 0],
  ['one in the middle', { scored: 4, worse: 1, equal: 0 }, 0.25],
  ['one of equals', { scored: 4, worse: 2, equal: 1 }, 0.625],
  ['one as good as all', { scored: 3, worse: 0, equal: 3 }, 0.5],
])('%s has the share that it is better than, equal ones by half', (_, ranks, reward) => {
  expect(rewardBy('rank').of(scored({ ranks }))).toMatchObject({ reward, parts: { value: 1.5, ...ranks } });
});
