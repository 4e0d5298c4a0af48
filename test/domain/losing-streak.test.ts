import { expect, test } from 'vitest';
import { losingStreak } from '../../domain/losing-streak.ts';
import type { TrialStatus } from '../../domain/trial.ts';

const ended = (...statuses: TrialStatus[]) =>
  statuses.map((status, index) => ({ trialId: `toy/${9 - index}`, status, reason: `why ${index}` }));

test('three failures in a row are spoken of, by the newest', () => {
  expect(losingStreak(ended('crashed', 'timed_out', 'lost', 'completed', 'crashed'))).toEqual({
    trials: 3,
    orMore: false,
    newest: { trialId: 'toy/9', status: 'crashed', reason: 'why 0' },
  });
});

test('where all that is seen failed, there may be more', () => {
  expect(losingStreak(ended('rejected', 'rejected', 'diverged'))).toMatchObject({ trials: 3, orMore: true });
});

test.each([
  [[]],
  [['crashed', 'crashed', 'completed']],
  [['completed', 'crashed', 'crashed', 'crashed']],
  [['aborted', 'crashed', 'crashed', 'crashed']],
  [['cached', 'cached', 'cached']],
] as [TrialStatus[]][])('nothing is said of %j', (statuses) => {
  expect(losingStreak(ended(...statuses))).toBeNull();
});
