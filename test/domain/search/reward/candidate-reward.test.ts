import { expect, test } from 'vitest';
import type { Rewarded } from '../../../../domain/search/reward.ts';
import { rewardOfRuns } from '../../../../domain/search/reward/candidate-reward.ts';
import { noReward } from '../../../../domain/search/reward/ending-rewards.ts';

const scored: Rewarded = { reward: 0.6, parts: { value: 1.4 }, reason: 'gain' };
const failure: Rewarded = { reward: -1, parts: {}, reason: 'crashed (exit-code)' };

test('the reward of one run is that of the run', () => {
  expect(rewardOfRuns({ scored, values: 1, failures: [] })).toEqual(scored);
  expect(rewardOfRuns({ scored: null, values: 0, failures: [failure] })).toEqual(failure);
  expect(rewardOfRuns({ scored: null, values: 0, failures: [] })).toBeNull();
});

test('the reward of several runs is that of their mean value, with their number', () => {
  expect(rewardOfRuns({ scored, values: 3, failures: [] })).toEqual({
    reward: expect.closeTo(0.6, 12) as number,
    parts: { value: 1.4, runs: 3, failedRuns: 0 },
    reason: 'gain, mean value of its runs',
  });
});

test('failed runs count as often as they are', () => {
  const rewarded = rewardOfRuns({ scored, values: 3, failures: [failure, { ...failure, reward: -0.5 }] });
  expect(rewarded?.reward).toBeCloseTo((3 * 0.6 - 1 - 0.5) / 5, 12);
  expect(rewarded?.parts).toMatchObject({ runs: 3, failedRuns: 2, scored: 0.6, failed: -0.75 });
  expect(rewarded?.reason).toBe('gain, mean value of its runs; crashed (exit-code)');
  expect(rewardOfRuns({ scored: null, values: 0, failures: [failure, failure] })).toMatchObject({
    reward: -1,
    parts: { runs: 0, failedRuns: 2 },
  });
});

test('values without a reward give none, whatever failed beside them', () => {
  const waits = noReward('waits for the baseline');
  expect(rewardOfRuns({ scored: waits, values: 2, failures: [failure] })).toEqual(waits);
});
