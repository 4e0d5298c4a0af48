import { expect, test } from 'vitest';
import { losingStreak, nothingButFailures } from '../../../domain/research/losing-streak.ts';
import { TRIAL_STATUSES, type TrialStatus } from '../../../domain/trial.ts';

const ended = (...statuses: TrialStatus[]) =>
  statuses.map((status, index) => ({ trialId: `toy/${9 - index}`, status, reason: `why ${index}` }));

test('three failures in a row are spoken of, by the newest', () => {
  expect(losingStreak(ended('crashed', 'timed_out', 'lost', 'completed', 'crashed'), 5)).toEqual({
    trials: 3,
    orMore: false,
    newest: { trialId: 'toy/9', status: 'crashed', reason: 'why 0' },
  });
});

test('where all that was looked at failed, there may be more; where that is all there is, not', () => {
  expect(losingStreak(ended('rejected', 'rejected', 'diverged'), 3)).toMatchObject({ trials: 3, orMore: true });
  expect(losingStreak(ended('rejected', 'rejected', 'diverged'), 20)).toMatchObject({ trials: 3, orMore: false });
});

test.each([
  [[]],
  [['crashed', 'crashed', 'completed']],
  [['completed', 'crashed', 'crashed', 'crashed']],
  [['aborted', 'crashed', 'crashed', 'crashed']],
  [['cached', 'cached', 'cached']],
] as [TrialStatus[]][])('nothing is said of %j', (statuses) => {
  expect(losingStreak(ended(...statuses), 20)).toBeNull();
});

test('a research gave nothing but failures where trials failed and none did anything else, copies aside', () => {
  const counts = (more: Partial<Record<TrialStatus, number>>) =>
    nothingButFailures({
      ...(Object.fromEntries(TRIAL_STATUSES.map((status) => [status, 0])) as Record<TrialStatus, number>),
      ...more,
    });
  expect(counts({ crashed: 2, lost: 1, cached: 4 })).toBe(3);
  expect([counts({ crashed: 9, completed: 1 }), counts({ crashed: 9, aborted: 1 }), counts({})]).toEqual([
    null,
    null,
    null,
  ]);
});
