import { expect, test } from 'vitest';
import { buildTree } from '../../../../domain/search/parent/build-tree.ts';
import { topK } from '../../../../domain/search/parent/top-k.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

const nodes = buildTree(
  'c0',
  [0, 1, 2, 3, 4].map((value, i) => ({
    kind: 'search',
    candidateId: `c${i}`,
    parentId: 'c0',
    isOpen: false,
    value,
  })),
).toReversed();
const points = { direction: 'maximize', original: 'c0', incumbent: 'c0', lead: 'c0' } as const;
const tree = { scored: 5, visits: 5, lowest: 0, byValue: nodes, byBest: [], niches: [] };

function shares(weights: 'uniform' | 'rank', k: number): Record<string, number> {
  const random = createRandom(3);
  const counts: Record<string, number> = {};
  for (let i = 0; i < 6000; i += 1) {
    const { candidateId } = topK.choose({ ...points, tree }, { settings: { k, by: weights }, random })!;
    counts[candidateId] = (counts[candidateId] ?? 0) + 1 / 6000;
  }
  return counts;
}

test('top-k draws from the best k only, evenly or by rank', () => {
  const even = shares('uniform', 3);
  expect(Object.keys(even).toSorted()).toEqual(['c2', 'c3', 'c4']);
  for (const share of Object.values(even)) expect(share).toBeCloseTo(1 / 3, 1);
  const ranked = shares('rank', 3);
  expect(ranked['c4']).toBeCloseTo(3 / 6, 1);
  expect(ranked['c3']).toBeCloseTo(2 / 6, 1);
  expect(ranked['c2']).toBeCloseTo(1 / 6, 1);
});

test('top-k states rank and value, and starts from the original before anything is scored', () => {
  const input = { settings: { k: 1, by: 'rank' as const }, random: createRandom(1) };
  expect(topK.choose({ ...points, tree }, input)).toEqual({
    candidateId: 'c4',
    reason: 'drawn by rank from the best 1: rank 1, 4',
  });
  const empty = { scored: 0, visits: 0, lowest: 0, byValue: [], byBest: [], niches: [] };
  expect(topK.choose({ ...points, tree: empty }, input)?.candidateId).toBe('c0');
});
