import { expect, test } from 'vitest';
import { seedOf } from '../../../domain/trial/seed.ts';

const seeds = Array.from({ length: 20_000 }, (_, n) => seedOf(`nano-lm/${n + 1}`));

test('the seed of a trial never changes: stored lineages rest on it', () => {
  expect([seedOf('nano-lm/1'), seedOf('nano-lm/2'), seedOf('')]).toEqual([1266298284, 1215964757, 18718716]);
});

test('seeds are whole numbers of 31 bits', () => {
  for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
});

test('neighbouring trials and researches get different seeds', () => {
  // 20,000 draws of 31 bits collide .09 times on average.
  expect(new Set(seeds).size).toBeGreaterThan(seeds.length - 3);
  expect(seedOf('a/1')).not.toBe(seedOf('b/1'));
});

test('every bit is set in about half of the seeds', () => {
  for (let bit = 0; bit < 31; bit += 1) {
    const share = seeds.filter((seed) => (seed >> bit) & 1).length / seeds.length;
    expect(share, `bit ${bit}`).toBeGreaterThan(0.4);
    expect(share, `bit ${bit}`).toBeLessThan(0.6);
  }
});
