import { expect, test } from 'vitest';
import { findStalls, type Child } from '../../../../../domain/search/context/lineage/find-stalls.ts';
import { groupIdeas, type TriedIdea } from '../../../../../domain/search/context/lineage/group-ideas.ts';

const scored = (value: number): Child => ({ status: 'completed', value });
const FAILED: Child = { status: 'crashed', value: null };
const SETTINGS = { sign: -1, noise: 0.1, stuck: 20, saturation: 3 } as const;
const stalls = (children: Child[], more = {}, settings = {}) =>
  findStalls({ sinceBest: 0, best: null, children, parentValue: 2, ...more }, { ...SETTINGS, ...settings });

test.each([
  ['worse', [2.2, 2.3, 2.5]],
  ['equal', [2.05, 1.95, 2]],
  ['no better', [2.05, 2.3, 2]],
])('trials from the parent are %s for the values %j', (verdict, values) => {
  expect(stalls(values.map(scored)).children).toEqual({ trials: 3, verdict });
});

test('trials from the parent may all have failed, or be mixed', () => {
  expect(stalls([FAILED, FAILED, FAILED]).children).toEqual({ trials: 3, verdict: 'failed' });
  expect(stalls([FAILED, scored(2.3), FAILED]).children).toEqual({ trials: 3, verdict: 'no better' });
});

test('nothing is stated if one trial is better or has no known result, or if there are too few', () => {
  expect(stalls([scored(2.2), scored(1.8), scored(2.2)]).children).toBeNull();
  expect(stalls([scored(2.2), { status: 'aborted', value: null }, scored(2.2)]).children).toBeNull();
  expect(stalls([scored(2.2), scored(2.2)]).children).toBeNull();
  expect(stalls([scored(2.2), scored(2.2), scored(2.2)], { parentValue: null }).children).toBeNull();
  expect(stalls([], {}, { saturation: 0 }).children).toBeNull();
});

test('the direction of the metric decides what is worse', () => {
  expect(stalls([1.8, 1.7, 1.5].map(scored), {}, { sign: 1 }).children?.verdict).toBe('worse');
});

test('the search is stuck after that many trials without a new best, and never with 0', () => {
  expect(stalls([], { sinceBest: 19 }).withoutBest).toBeNull();
  expect(stalls([], { sinceBest: 20, best: 7 }).withoutBest).toEqual({ trials: 20, since: 7 });
  expect(stalls([], { sinceBest: 900 }, { stuck: 0 }).withoutBest).toBeNull();
});

test('ideas are grouped by their outcome against the files that each was made from, the newest first', () => {
  const tried = (n: number, more: Partial<TriedIdea>): TriedIdea => ({
    n,
    hypothesis: `idea ${n}`,
    status: 'completed',
    verdict: 'discard',
    value: 2,
    parentValue: 2,
    ...more,
  });
  const groups = groupIdeas(
    [
      tried(1, { value: 1.5, verdict: 'keep' }),
      tried(2, { value: 1.5 }),
      tried(3, {}),
      tried(4, { value: 2.6 }),
      tried(5, { value: 2.7 }),
      tried(6, { status: 'crashed', value: null }),
      tried(7, { status: 'aborted', value: null }),
      tried(8, { status: 'cached', value: null }),
      tried(9, { status: 'lost', value: null }),
      tried(10, { parentValue: null }),
      ...Array.from({ length: 20 }, (_, i) => tried(11 + i, { status: 'rejected', value: null })),
    ],
    { sign: -1, noise: 0.1 },
  );
  expect(groups.map(({ outcome, trials, ideas }) => [outcome, trials, ideas.map(({ n }) => n)])).toEqual([
    ['confirmed', 1, [1]],
    ['better', 1, [2]],
    ['equal', 1, [3]],
    ['worse', 2, [5, 4]],
    ['unmeasured', 1, [10]],
    ['stopped', 1, [7]],
    ['failed', 21, [30, 29, 28, 27, 26, 25, 24, 23]],
  ]);
});
