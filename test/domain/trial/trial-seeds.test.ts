import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { first31, proposerSeed, proposerSeedOf, type SeedKey, seedsFor } from '../../../domain/trial/trial-seeds.ts';
import { TRIAL_KINDS, type TrialKind } from '../../../domain/trial.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
/** A hash with sixteen values, so that draws soon collide. */
const poor = (text: string): string => hash(text).slice(0, 1).repeat(64);
const keys = (kind: TrialKind, count: number, from = 1): SeedKey[] =>
  Array.from({ length: count }, (_, index) => ({ root: 'r', kind, ordinal: from + index }));
const run = (wanted: SeedKey[], taken: Iterable<number> = [], hashing = hash) =>
  seedsFor(wanted, { stream: 'run', hash: hashing, taken: new Set(taken) });

describe('the seeds of trials', () => {
  test('are non-negative integers below 2^31, always the same ones', () => {
    const seeds = TRIAL_KINDS.flatMap((kind) => run(keys(kind, 1000)));
    expect(seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
    expect(Math.max(...seeds)).toBeGreaterThan(2 ** 30);
    expect(run(keys('search', 3))).toEqual([928709944, 2101369240, 1257625432]);
  });

  test('differ by root, stream, kind and ordinal', () => {
    const [key] = keys('search', 1);
    const stream = (name: 'run' | 'evaluator') => seedsFor([key!], { stream: name, hash, taken: new Set() });
    const all = [
      ...stream('run'),
      ...stream('evaluator'),
      ...run([
        { ...key!, root: 's' },
        { ...key!, kind: 'confirm' },
        { ...key!, ordinal: 2 },
      ]),
    ];
    expect(new Set(all).size).toBe(5);
  });

  test('never repeat if hashes collide, and do not depend on the order in which kinds are admitted', () => {
    const together = run([...keys('search', 12), ...keys('confirm', 12)], [], poor);
    expect(new Set(together).size).toBe(24);
    const given: number[] = [];
    const bySteps: Record<string, number[]> = { search: [], confirm: [] };
    for (const [kind, count, from] of [
      ['confirm', 5, 1],
      ['search', 1, 1],
      ['search', 7, 2],
      ['confirm', 7, 6],
      ['search', 4, 9],
    ] as const) {
      const seeds = run(keys(kind, count, from), given, poor);
      given.push(...seeds);
      bySteps[kind]?.push(...seeds);
    }
    expect([...bySteps['search']!, ...bySteps['confirm']!]).toEqual(together);
  });

  test('differ from those that an older version gave', () => {
    const [first] = run(keys('search', 1));
    const [second] = run(keys('search', 1), [first!]);
    expect(second).not.toBe(first);
    expect(run(keys('search', 1), [first!])).toEqual([second]);
  });
});

test('the seed of a proposer differs between researches, even with the same root', () => {
  const [key] = keys('search', 1);
  const seedIn = (researchId: string) => proposerSeed(key!, { researchId, sha256: hash });
  expect(seedIn('a')).toBe(seedIn('a'));
  expect(seedIn('a')).not.toBe(seedIn('b'));
  expect(seedIn('a')).toBeLessThan(2 ** 31);
});

test('a trial with a single seed uses it for its proposal, too', () => {
  expect(proposerSeedOf({ seed: 7, proposerSeed: null })).toBe(7);
  expect(proposerSeedOf({ seed: 7, proposerSeed: 0 })).toBe(0);
});

test('the first 31 bits of a hash are never negative', () => {
  expect([first31('ffffffff00'), first31('80000000'), first31('00000001ff')]).toEqual([2 ** 31 - 1, 0, 1]);
});
