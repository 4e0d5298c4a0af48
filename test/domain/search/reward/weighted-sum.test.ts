import { expect, test } from 'vitest';
import type { ScoredOutcome } from '../../../../domain/search/reward.ts';
import { rewardBy, scored } from './scored.ts';

const by = (settings: object) => rewardBy({ name: 'weighted-sum', scale: 'absolute', ...settings });
const rewardIn = (settings: object, more: Partial<ScoredOutcome> = {}) => by(settings).of(scored(more)).reward;

test('gain over the parent, seconds saved and novelty are added by their weights', () => {
  // The gain is 1.8 − 1.5 = .3, the seconds saved (1 − 8/10) · .5 = .1, and the novelty .4 · .25 = .1.
  const { reward, parts } = by({ efficiency: 0.5, novelty: 0.25 }).of(scored());
  expect(reward).toBeCloseTo(0.3 + 0.1 + 0.1, 12);
  expect(parts).toEqual({
    value: 1.5,
    parent: 1.8,
    gain: expect.closeTo(0.3, 12),
    efficiency: expect.closeTo(0.1, 12),
    novelty: expect.closeTo(0.1, 12),
  });
  expect(rewardBy('weighted-sum').of(scored()).reward).toBeCloseTo(0.3 / 1.8 + 0.002 + 0.004, 12);
});

test('a better metric, fewer seconds and a greater distance each raise it, whatever the direction', () => {
  const weights = { efficiency: 0.5, novelty: 0.5 };
  const plain = rewardIn(weights) ?? NaN;
  expect(rewardIn(weights, { value: 1.4 })).toBeGreaterThan(plain);
  expect(rewardIn(weights, { seconds: 7 })).toBeGreaterThan(plain);
  expect(rewardIn(weights, { distance: 0.5 })).toBeGreaterThan(plain);
  const maximised = rewardIn(weights, { sign: 1 }) ?? NaN;
  expect(rewardIn(weights, { sign: 1, value: 1.6 })).toBeGreaterThan(maximised);
  expect(maximised).toBeLessThan(plain);
});

test('a loss is negative, and time costs at most its weight', () => {
  const none = { efficiency: 0, novelty: 0 };
  expect(rewardIn(none, { value: 2 })).toBeCloseTo(-0.2, 12);
  expect(rewardIn({ efficiency: 0.5, novelty: 0 }, { value: 1.8, seconds: 15 })).toBe(-0.25);
  expect(rewardIn({ efficiency: 0.5, novelty: 0 }, { value: 1.8, seconds: 1000 })).toBe(-0.5);
});

test('the worst score is worth more than a failed run, and the true gain is reported', () => {
  const relative = { scale: 'relative', efficiency: 0, novelty: 0 } as const;
  // The loss is three times that of the parent.
  const { reward, parts, reason } = by(relative).of(scored({ value: 5.4 }));
  expect(reward).toBe(-0.99);
  expect(parts).toMatchObject({ gain: expect.closeTo(-2, 12), least: -0.99 });
  expect(reason).toMatch(/more than a failed run$/);
  expect(rewardIn({ ...relative, failed: -3 }, { value: 5.4 })).toBeCloseTo(-2, 12);
  expect(rewardIn({ ...relative, failed: 0 }, { value: 5.4 })).toBe(0.01);
  expect(rewardIn({ scale: 'relative', efficiency: 5 }, { value: 1.8, seconds: 1000 })).toBe(-0.99);
  expect(by(relative).of(scored({ value: 1.9 })).parts).not.toHaveProperty('least');
});

test('a change nearer than the threshold is not novel', () => {
  const at = (threshold: number) => rewardIn({ efficiency: 0, novelty: 1, threshold }, { value: 1.8 });
  expect([at(0.4), at(0.41)]).toEqual([0.4, 0]);
});

test('the history is read only if novelty counts', () => {
  expect(by({}).reads).toEqual(['parent', 'distance']);
  expect(by({ novelty: 0 }).reads).toEqual(['parent']);
});

test.each([
  ['a score of the parent', {}, { parent: null }, 'its parent has no score under this metric'],
  ['the seconds of the run', {}, { seconds: null }, 'are unknown'],
  ["the parent's seconds", {}, { parent: { value: 1, seconds: null } }, 'are unknown'],
  ['another parent than 0', { scale: 'relative' }, { parent: { value: 0, seconds: 1 } }, 'scale: absolute'],
] as const)('without %s there is no reward, with the reason', (_, settings, more, reason) => {
  expect(by(settings).of(scored(more))).toMatchObject({ reward: null, reason: expect.stringContaining(reason) });
});

test('with a weight of 0 the seconds may be unknown', () => {
  expect(rewardIn({ efficiency: 0, novelty: 0 }, { seconds: null, value: 1.3 })).toBeCloseTo(0.5, 12);
});
