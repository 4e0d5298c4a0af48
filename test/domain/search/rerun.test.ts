import { expect, test } from 'vitest';
import { mayRunAgain, runsOfCandidate, withRerun } from '../../../domain/search/rerun.ts';
import { Search } from '../../../domain/search/schema.ts';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { TASK } from '../../cli/support/lineage.ts';

const search = (more: object = {}): Search => Search.parse(more);

test('a new research has four runs of a candidate if it learns, else one, unless its task sets a number', () => {
  expect(withRerun(search({ update: 'grpo' })).rerun).toBe(4);
  expect(withRerun(search({ update: 'none' })).rerun).toBe(1);
  expect(withRerun(search({ update: { name: 'ppo' }, rerun: 2 })).rerun).toBe(2);
});

test('a default and the same number in a task give the same settings, in the same order', () => {
  expect(JSON.stringify(withRerun(search({ update: 'grpo' })))).toBe(
    JSON.stringify(withRerun(search({ update: 'grpo', rerun: 4 }))),
  );
});

test('settings of 0.2 mean one run', () => {
  expect(runsOfCandidate(search({ update: 'grpo' }))).toBe(1);
});

test.each([0, 1.5, 100_001, 'twice'])('%s runs are refused with the key', (rerun) => {
  expect(Search.safeParse({ rerun }).error?.issues[0]?.path).toEqual(['rerun']);
});

test('runs of a candidate contradict no other setting', () => {
  expect(contradictions({ ...TASK, search: { ...TASK.search, rerun: 7 } })).toEqual(contradictions(TASK));
});

test('a candidate may run again while it has fewer runs, none of which was stopped early', () => {
  const run = { failure: null };
  expect(mayRunAgain([], 1)).toBe(true);
  expect(mayRunAgain([run], 1)).toBe(false);
  expect(mayRunAgain([run, { failure: 'exit-code' }], 3)).toBe(true);
  expect(mayRunAgain([run, { failure: 'cannot-win' }], 9)).toBe(false);
});
