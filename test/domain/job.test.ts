import { expect, test } from 'vitest';
import { parseTrialId } from '../../domain/ids.ts';
import { JOB_SHAPES, jobIdOf, JobSpec, TRIAL_SPEC } from '../../domain/job.ts';

test('the id of a job that is no trial is never read as the id of one', () => {
  const job = { kind: 'command', name: 'toy', token: '3f' } as const;
  expect(jobIdOf(job)).toBe('command/toy/3f');
  expect(parseTrialId(jobIdOf(job))).toBeUndefined();
  expect(() => jobIdOf({ ...job, token: '35' })).toThrow(/expected a token of a job that is no number, got 35/i);
});

const restart = { firstSeconds: 1, mostSeconds: 60 };

test.each([
  TRIAL_SPEC,
  { shape: 'to-an-end', command: 'python -c "import torch"' },
  { shape: 'without-an-end', command: 'serve', ready: 'listening', restart },
  { shape: 'short-runs' },
])('%j is what a job runs', (spec) => {
  expect(JobSpec.parse(spec)).toEqual(spec);
  expect(Object.values(JOB_SHAPES)).toContain(spec.shape);
});

test.each([
  {},
  { shape: 'of-the-future' },
  { shape: 'without-an-end', command: 'serve' },
  { shape: 'to-an-end', ready: 'x' },
])('%j is not', (spec) => {
  expect(JobSpec.safeParse(spec).success).toBe(false);
});
