import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { type Combination, combinationsOf } from '../../../../domain/search/proposer/combinations.ts';
import { staleProposer, type Proposes } from '../../../../domain/search/proposer/stale-proposer.ts';
import { TASK } from '../../../cli/support/lineage.ts';

const all = (sizes: number[], seed = 1): Combination[] => [...combinationsOf(sizes, createRandom(seed))];
const text = (choice: Combination): string => JSON.stringify([...choice]);
const firstOf = (sizes: number[], seed: number): Combination | undefined =>
  combinationsOf(sizes, createRandom(seed)).next().value as Combination;

describe('combinations of alternatives', () => {
  test.each([
    ['one thing with one alternative', [1], 1],
    ['one thing with many', [7], 7],
    ['two things', [2, 2], 8],
    ['things of different sizes', [1, 4, 2, 3], 2 * 5 * 3 * 4 - 1],
    ['things without any alternative', [0, 3, 0, 2], 4 * 3 - 1],
    ['no things', [], 0],
    ['only fixed things', [0, 0], 0],
  ])('come once each: %s', (_, sizes, count) => {
    for (const seed of [1, 2, 3, 99]) {
      const drawn = all(sizes, seed);
      expect(new Set(drawn.map(text)).size).toBe(count);
      expect(drawn).toHaveLength(count);
      for (const choice of drawn)
        for (const [position, alternative] of choice) {
          expect(alternative).toBeGreaterThanOrEqual(0);
          expect(alternative).toBeLessThan(sizes[position] ?? 0);
        }
    }
  });

  test('change one thing before two, and two before three', () => {
    const changes = all([3, 2, 4, 1]).map((choice) => choice.size);
    expect(changes).toEqual(changes.toSorted((a, b) => a - b));
    expect(new Set(changes)).toEqual(new Set([1, 2, 3, 4]));
  });

  test('begin at a random one, by the seed alone', () => {
    const begins = Array.from({ length: 400 }, (_, seed) => text(firstOf([5, 3], seed) ?? new Map()));
    expect(new Set(begins).size).toBe(8);
    expect(begins).toEqual(Array.from({ length: 400 }, (_, seed) => text(firstOf([5, 3], seed) ?? new Map())));
  });

  test('are drawn one by one, however many there are', () => {
    const sizes = Array.from({ length: 60 }, () => 1_000_000_000);
    const drawn = new Set<string>();
    for (const choice of combinationsOf(sizes, createRandom(3))) if (drawn.add(text(choice)).size === 1000) break;
    expect(drawn.size).toBe(1000);
  });
});

describe('a stale proposer', () => {
  const research: Proposes = { id: 'toy', phase: 'running', proposer: 'random', proposerAsked: 'auto', task: TASK };

  test('random is kept if a research began without a model, with the way to change it', () => {
    expect(staleProposer(research)).toEqual([
      'toy keeps its proposer random although a model endpoint is set; to use the model: ' +
        'npx perpetua stop toy, then, when it has stopped, npx perpetua start toy --proposer llm',
    ]);
  });

  test('the command has an id that differs from the task, and no stop for an ended research', () => {
    const [line] = staleProposer({ ...research, id: 'mine', phase: 'stopped' });
    expect(line).toMatch(/to use the model: npx perpetua start toy --id mine --proposer llm$/);
  });

  test.each([
    ['uses a model already', { ...research, proposer: 'llm' }],
    ['has the proposer random by its task', { ...research, proposerAsked: 'random' }],
  ])('a research that %s has no stale proposer', (_, other) => {
    expect(staleProposer(other)).toEqual([]);
  });
});
