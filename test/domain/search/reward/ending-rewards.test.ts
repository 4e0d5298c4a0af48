import { describe, expect, test } from 'vitest';
import { rewardOfFailure, rewardOfKnown } from '../../../../domain/search/reward/ending-rewards.ts';
import { type FailureLabel, TRIAL_STATUSES, type TrialStatus } from '../../../../domain/trial.ts';
import { rewardBy } from './scored.ts';

const endings = { failed: -1, rejected: -2, aborted: -3, known: 0.5 };

describe('an outcome without a value', () => {
  test.each<[TrialStatus, FailureLabel, number | null]>([
    ['crashed', 'exit-code', -1],
    ['crashed', 'evaluator-failed', -1],
    ['timed_out', 'wall-clock', -1],
    ['diverged', 'not-finite', -1],
    ['rejected', 'no-change', -2],
    ['rejected', 'unreadable-answer', -2],
    ['aborted', 'cannot-win', -3],
    ['aborted', 'stopped-by-operator', null],
    ['rejected', 'proposer-failed', null],
    ['rejected', 'nothing-new', null],
    ['crashed', 'evaluator-changed', null],
    ['crashed', 'call-limit', null],
    ['lost', 'machine-lost', null],
    ['lost', 'contended', null],
    ['lost', 'setup-failed', null],
    ['lost', 'infrastructure', null],
  ])('as %s (%s) has the reward %s', (status, failure, reward) => {
    const rewarded = rewardOfFailure({ status, failure }, endings);
    expect(rewarded).toMatchObject({ reward, parts: {} });
    expect(rewarded.reason).toContain(`${status} (${failure})`);
    expect(rewarded.reason.includes('the proposal did not cause it')).toBe(reward === null);
  });

  test.each(TRIAL_STATUSES.filter((status) => status !== 'completed' && status !== 'cached'))(
    'as %s never earns a positive reward',
    (status) => {
      for (const name of ['improvement', 'weighted-sum', 'rank'])
        expect(rewardOfFailure({ status, failure: null }, rewardBy(name).endings).reward ?? 0).toBeLessThanOrEqual(0);
    },
  );
});

describe('a known candidate', () => {
  const first = { reward: 0.5, parts: { gain: 0.5 }, reason: 'a gain' };

  test('earns the reward of the first trial times the factor', () => {
    expect(rewardOfKnown(first, { n: 4, known: 1 })).toMatchObject({ reward: 0.5, reason: 'known from trial 4' });
    expect(rewardOfKnown(first, { n: 4, known: 0.25 })).toEqual({
      reward: 0.125,
      parts: { gain: 0.5, first: 0.5, known: 0.25 },
      reason: 'known from trial 4',
    });
    expect(rewardBy('improvement').endings.known).toBe(1);
  });

  test('gets a penalty in full', () => {
    expect(rewardOfKnown({ ...first, reward: -1 }, { n: 4, known: 0 }).reward).toBe(-1);
  });

  test('has no reward if the first trial had none', () => {
    const none = { reward: null, parts: {}, reason: 'lost (machine-lost)' };
    expect(rewardOfKnown(none, { n: 4, known: 1 })).toMatchObject({
      reward: null,
      reason: 'the same candidate as trial 4, which has no reward: lost (machine-lost)',
    });
  });
});
