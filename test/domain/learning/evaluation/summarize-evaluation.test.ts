import { describe, expect, test } from 'vitest';
import {
  type EvaluatedTrial,
  summarizeEvaluation,
} from '../../../../domain/learning/evaluation/summarize-evaluation.ts';

const trial = (more: Partial<EvaluatedTrial>): EvaluatedTrial => ({
  kind: 'search',
  status: 'completed',
  failure: null,
  value: null,
  reward: null,
  ...more,
});
const scored = (value: number, reward: number | null = value): EvaluatedTrial => trial({ value, reward });
const run = (value: number): EvaluatedTrial => trial({ kind: 'baseline', value });
const rejected = trial({ status: 'rejected', failure: 'unreadable-answer', reward: -1 });

describe('summarizeEvaluation', () => {
  test('the mean value is that of scored runs, the mean reward also counts failed and unreadable answers', () => {
    const crashed = trial({ status: 'crashed', failure: 'exit-code', reward: -1 });
    const trials = [
      run(0),
      run(0.2),
      scored(0.5),
      scored(0.3),
      scored(0.1),
      rejected,
      crashed,
      trial({ status: null }),
    ];
    const { ended, lost, value, reward, readable, failures, baselineRuns } = summarizeEvaluation(trials, {
      hasReward: true,
    });
    expect([ended, lost]).toEqual([5, 0]);
    expect(value).toMatchObject({ n: 3, mean: expect.closeTo(0.3, 12) as number });
    expect(reward).toMatchObject({ n: 5, mean: expect.closeTo((0.9 - 2) / 5, 12) as number });
    expect(readable).toMatchObject({ n: 5, share: 0.8 });
    expect(failures).toEqual({ 'unreadable-answer': 1, 'exit-code': 1 });
    expect(baselineRuns).toEqual({ ended: 2, failed: 0 });
  });

  test('the interval of the share of readable answers is exact', () => {
    const { readable } = summarizeEvaluation([scored(1), scored(1), scored(1), rejected], { hasReward: false });
    // scipy.stats.binomtest(3, 4).proportion_ci(method='exact')
    expect(readable).toEqual({
      n: 4,
      share: 0.75,
      low: expect.closeTo(0.194_12, 5),
      high: expect.closeTo(0.993_69, 5),
    });
  });

  test('the difference to the baseline has the error of both', () => {
    const { difference } = summarizeEvaluation([run(0), run(0.2), scored(0.5), scored(0.3), scored(0.1)], {
      hasReward: true,
    });
    // Welch: variance .0233…, 2.88 degrees of freedom.
    expect(difference?.value).toBeCloseTo(0.2, 12);
    expect((difference?.high ?? 0) - 0.2).toBeCloseTo(0.498, 2);
    expect(0.2 - (difference?.low ?? 0)).toBeCloseTo(0.498, 2);
    const same = [run(1), run(1), scored(2), scored(2)];
    expect(summarizeEvaluation(same, { hasReward: true }).difference).toBeNull();
  });

  test('samples that a machine lost, a person stopped or the sampler refused count in no other number', () => {
    const trials = [
      scored(1),
      trial({ status: 'lost', failure: 'machine-lost' }),
      trial({ status: 'aborted', failure: 'stopped-by-operator' }),
      trial({ status: 'rejected', failure: 'proposer-failed' }),
    ];
    const { ended, lost, readable, failures } = summarizeEvaluation(trials, { hasReward: true });
    expect({ ended, lost, n: readable.n, failures }).toEqual({ ended: 4, lost: 3, n: 1, failures: {} });
  });

  test('without a reward, and before the first sample, there is none to show', () => {
    expect(summarizeEvaluation([], { hasReward: false })).toMatchObject({
      ended: 0,
      reward: null,
      difference: null,
      value: { n: 0, mean: null },
      readable: { n: 0, share: null, low: 0, high: 1 },
    });
  });
});
