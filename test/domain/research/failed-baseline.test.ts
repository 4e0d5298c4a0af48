import { expect, test } from 'vitest';
import { failedBaseline } from '../../../domain/research/failed-baseline.ts';

const ended = (n: number, kind: 'baseline' | 'search', status: 'completed' | 'crashed', candidateId = 'now') => ({
  ...{ trialId: `x/${n}`, kind, candidateId, status },
  reason: status === 'crashed' ? `exit code ${n}` : null,
});

test('one run of the baseline that failed is told at once, the newest with its reason', () => {
  expect(failedBaseline([ended(2, 'baseline', 'completed'), ended(1, 'baseline', 'crashed')], 'now')).toEqual({
    trials: 1,
    newest: { trialId: 'x/1', status: 'crashed', reason: 'exit code 1' },
  });
  expect(failedBaseline([ended(3, 'baseline', 'crashed'), ended(1, 'baseline', 'crashed')], 'now')).toMatchObject({
    trials: 2,
    newest: { trialId: 'x/3' },
  });
});

test('what runs of the baseline did well, and proposals that failed, are none of it', () => {
  expect(failedBaseline([ended(2, 'search', 'crashed'), ended(1, 'baseline', 'completed')], 'now')).toBeNull();
});

test('failures of the starting text that was the baseline before a change of task are none of it', () => {
  expect(failedBaseline([ended(3, 'baseline', 'crashed', 'before')], 'now')).toBeNull();
  const both = [ended(4, 'baseline', 'crashed'), ended(3, 'baseline', 'crashed', 'before')];
  expect(failedBaseline(both, 'now')?.trials).toBe(1);
});
