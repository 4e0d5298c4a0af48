import { expect, test } from 'vitest';
import { rewardBy, scored } from './scored.ts';

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

test('it says what it is made of', () => {
  expect(rewardBy('improvement').of(scored({ value: 2.5 }))).toEqual({
    reward: 0,
    parts: { value: 2.5, baseline: 2, gain: -0.25 },
    reason: 'relative gain over the baseline',
  });
});

test.each([
  ['where the baseline has no score', 'improvement', { baseline: null }, 'no run of the baseline has a score'],
  ['as a share of 0', 'improvement', { baseline: 0 }, 'scale: absolute'],
  ['over what is too large for a number', absolute, { value: -1.7e308, baseline: 1.7e308 }, 'came Infinity'],
] as const)('there is none %s, and it says why', (_, choice, more, reason) => {
  expect(rewardBy(choice).of(scored(more))).toMatchObject({
    reward: null,
    parts: {},
    reason: expect.stringContaining(reason),
  });
});
