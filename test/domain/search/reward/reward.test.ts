import { describe, expect, test } from 'vitest';
import { rewardBy, scored } from './scored.ts';
import { changedLines, nearestDistance } from '../../../../domain/search/reward.ts';

describe('improvement', () => {
  const absolute = { name: 'improvement', scale: 'absolute' };

  test.each([
    ['a smaller loss', 'improvement', { sign: -1, value: 1.5, baseline: 2 }, 0.25],
    ['a smaller loss, in its units', absolute, { sign: -1, value: 1.5, baseline: 2 }, 0.5],
    ['a greater loss', 'improvement', { sign: -1, value: 2.5, baseline: 2 }, 0],
    ['a greater score', 'improvement', { sign: 1, value: 2.5, baseline: 2 }, 0.25],
    ['a smaller score', absolute, { sign: 1, value: 1.5, baseline: 2 }, 0],
    ['a greater score below 0', 'improvement', { sign: 1, value: -3, baseline: -4 }, 0.25],
    ['no change', 'improvement', { sign: -1, value: 2, baseline: 2 }, 0],
    ['a gain over 0, in its units', absolute, { sign: 1, value: 0.5, baseline: 0 }, 0.5],
  ] as const)('%s earns its gain over the baseline, and never less than nothing', (_, choice, more, reward) => {
    expect(rewardBy(choice).of(scored(more)).reward).toBe(reward);
  });

  test('it reports its parts and its reason', () => {
    expect(rewardBy('improvement').of(scored({ value: 2.5 }))).toEqual({
      reward: 0,
      parts: { value: 2.5, baseline: 2, gain: -0.25 },
      reason: 'relative gain over the baseline',
    });
  });

  test.each([
    ['if the baseline has no score', 'improvement', { baseline: null }, 'no run of the baseline has a score'],
    ['relative to a baseline of 0', 'improvement', { baseline: 0 }, 'scale: absolute'],
    ['if the gain is too large for a number', absolute, { value: -1.7e308, baseline: 1.7e308 }, 'got Infinity'],
  ] as const)('there is no reward %s, with the reason', (_, choice, more, reason) => {
    expect(rewardBy(choice).of(scored(more))).toMatchObject({
      reward: null,
      parts: {},
      reason: expect.stringContaining(reason),
    });
  });
});

describe('rank', () => {
  test.each([
    ['the first', { scored: 0, worse: 0, equal: 0 }, 0.5],
    ['the best', { scored: 4, worse: 4, equal: 0 }, 1],
    ['the worst', { scored: 4, worse: 0, equal: 0 }, 0],
    ['one in the middle', { scored: 4, worse: 1, equal: 0 }, 0.25],
    ['one of equals', { scored: 4, worse: 2, equal: 1 }, 0.625],
    ['one as good as all', { scored: 3, worse: 0, equal: 3 }, 0.5],
  ])('%s earns the share of trials that it beats, and half of the share of equal ones', (_, ranks, reward) => {
    expect(rewardBy('rank').of(scored({ ranks }))).toMatchObject({ reward, parts: { value: 1.5, ...ranks } });
  });
});

describe('the distance of a change', () => {
  const original = { 'a.env': 'LR=1\nSIZE=2\n', 'b.py': 'pass\n' };
  const change = (files: Record<string, string>) => changedLines(original, { ...original, ...files });

  test('a change consists of its new and its old lines, by path', () => {
    expect(change({ 'a.env': 'LR=3\nSIZE=2\n' })).toEqual(new Set(['+a.env\nLR=3', '-a.env\nLR=1']));
    expect(changedLines(original, { 'a.env': original['a.env'] })).toEqual(new Set(['-b.py\npass', '-b.py\n']));
    expect(change({})).toEqual(new Set());
  });

  test('its distance is that to the nearest other change: 0 for the same, 1 for no common line', () => {
    const lr3 = change({ 'a.env': 'LR=3\nSIZE=2\n' });
    const lr4 = change({ 'a.env': 'LR=4\nSIZE=2\n' });
    const size = change({ 'a.env': 'LR=1\nSIZE=5\n' });
    expect(nearestDistance(lr3, [])).toBe(1);
    expect(nearestDistance(lr3, [size])).toBe(1);
    // The two changes have one of three lines in common: the removed LR=1.
    expect(nearestDistance(lr3, [size, lr4])).toBeCloseTo(2 / 3, 12);
    expect(nearestDistance(lr3, [lr4, lr3, size])).toBe(0);
    expect(nearestDistance(change({}), [size])).toBe(0);
  });
});
