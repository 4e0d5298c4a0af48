import { describe, expect, test } from 'vitest';
import { countedIn, numberOn } from '../../../domain/research/admission.ts';
import { paceSeconds } from '../../../domain/research/pace.ts';
import { losingStreak, nothingButFailures } from '../../../domain/research/losing-streak.ts';
import { TRIAL_STATUSES, type TrialStatus } from '../../../domain/trial.ts';
import { pauseAndStopIn, STOPPING_REASONS } from '../../../domain/research/phase.ts';
import { failedBaseline } from '../../../domain/research/failed-baseline.ts';

describe('an admission', () => {
  const NEXT = { researchId: 'a', lastN: 7, taskHash: 'task', pool: 'local' };
  const CONFIRM = { kind: 'confirm' as const, candidateId: 'c', ofTrial: 3 };

  test('an admission numbers wanted runs first and new proposals after them, from the last number on', () => {
    const specs = numberOn(NEXT, { wanted: [CONFIRM], searches: 2 });
    expect(specs).toMatchObject([
      { trialId: 'a/8', n: 8, ...CONFIRM, taskHash: 'task', pool: 'local' },
      { trialId: 'a/9', n: 9, kind: 'search', candidateId: null, ofTrial: null },
      { trialId: 'a/10', n: 10, kind: 'search' },
    ]);
    expect(numberOn(NEXT, { wanted: [CONFIRM], searches: 2 })).toEqual(specs);
    expect(numberOn(NEXT, { wanted: [], searches: -1 })).toEqual([]);
    expect(countedIn({ search: 4, baseline: 3 }, specs)).toEqual({ search: 6, baseline: 3, confirm: 1 });
  });
});

test.each([
  ['paused', 'paused by a person', { paused: true }],
  ['stopping', STOPPING_REASONS.drain, { stopping: 'drain' }],
  ['stopping', STOPPING_REASONS.now, { stopping: 'now' }],
  ['waiting', 'disk', {}],
  ['running', null, {}],
] as const)('a research that was %s (%s) resumes in that state', (phase, reason, asked) => {
  expect(pauseAndStopIn({ phase, reason })).toEqual(asked);
});

describe('the pace', () => {
  test('unusable answers in a row slow proposals down, more each time up to a limit', () => {
    const paces = [9, 10, 11, 15, 16, 1000].map((inARow) => paceSeconds({ inARow, window: 1 }));
    expect(paces).toEqual([0, 5, 10, 160, 300, 300]);
  });

  test('the pause doubles with every batch, not with every trial of one', () => {
    const paces = [10, 16, 17, 23, 24, 31, 52].map((inARow) => paceSeconds({ inARow, window: 7 }));
    expect(paces).toEqual([5, 5, 10, 10, 20, 40, 300]);
  });

  test('there is no pause before the first trial has ended', () => {
    expect(paceSeconds({ inARow: 0, window: 4 })).toBe(0);
  });
});

describe('a losing streak', () => {
  const ended = (...statuses: TrialStatus[]) =>
    statuses.map((status, index) => ({ trialId: `toy/${9 - index}`, status, reason: `why ${index}` }));

  test('three failures in a row are a streak, with the reason of the newest', () => {
    expect(losingStreak(ended('crashed', 'timed_out', 'lost', 'completed', 'crashed'), 5)).toEqual({
      trials: 3,
      orMore: false,
      newest: { trialId: 'toy/9', status: 'crashed', reason: 'why 0' },
    });
  });

  test('there may be more failures if all trials that were read failed, unless no trials are left', () => {
    expect(losingStreak(ended('rejected', 'rejected', 'diverged'), 3)).toMatchObject({ trials: 3, orMore: true });
    expect(losingStreak(ended('rejected', 'rejected', 'diverged'), 20)).toMatchObject({ trials: 3, orMore: false });
  });

  test.each([
    [[]],
    [['crashed', 'crashed', 'completed']],
    [['completed', 'crashed', 'crashed', 'crashed']],
    [['aborted', 'crashed', 'crashed', 'crashed']],
    [['cached', 'cached', 'cached']],
  ] as [TrialStatus[]][])('%j are no streak', (statuses) => {
    expect(losingStreak(ended(...statuses), 20)).toBeNull();
  });

  test('a research had nothing but failures if some trials failed and all others are copies', () => {
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
});

describe('a baseline that failed', () => {
  const ended = (n: number, kind: 'baseline' | 'search', status: 'completed' | 'crashed', candidateId = 'now') => ({
    trialId: `x/${n}`,
    kind,
    candidateId,
    status,
    reason: status === 'crashed' ? `exit code ${n}` : null,
  });

  test('one failed run of the baseline is reported at once, the newest with its reason', () => {
    expect(failedBaseline([ended(2, 'baseline', 'completed'), ended(1, 'baseline', 'crashed')], 'now')).toEqual({
      trials: 1,
      newest: { trialId: 'x/1', status: 'crashed', reason: 'exit code 1' },
    });
    expect(failedBaseline([ended(3, 'baseline', 'crashed'), ended(1, 'baseline', 'crashed')], 'now')).toMatchObject({
      trials: 2,
      newest: { trialId: 'x/3' },
    });
  });

  test('successful runs of the baseline and failed proposals do not count', () => {
    expect(failedBaseline([ended(2, 'search', 'crashed'), ended(1, 'baseline', 'completed')], 'now')).toBeNull();
  });

  test('failures of an earlier baseline, before a change of the task, do not count', () => {
    expect(failedBaseline([ended(3, 'baseline', 'crashed', 'before')], 'now')).toBeNull();
    const both = [ended(4, 'baseline', 'crashed'), ended(3, 'baseline', 'crashed', 'before')];
    expect(failedBaseline(both, 'now')?.trials).toBe(1);
  });
});
