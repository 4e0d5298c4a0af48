import { expect, test } from 'vitest';
import { parseTrialId } from '../../domain/trial/ids.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { JOB_SHAPES, jobIdOf, JobSpec, RESTART, TRIAL_SPEC } from '../../domain/job.ts';
import { JobArgs } from '../../domain/messages.ts';

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
  { shape: 'without-an-end', command: 'serve', ready: 'two\nlines', restart },
  { shape: 'without-an-end', command: 'serve', ready: 'x', restart: { firstSeconds: 9, mostSeconds: 2 } },
  { shape: 'to-an-end', ready: 'x' },
])('%j is not', (spec) => {
  expect(JobSpec.safeParse(spec).success).toBe(false);
});

test('what a command or a server goes on with is what its workflow takes; no other job goes on so', () => {
  const of = (spec: JobSpec) => jobArgsOf({ kind: 'command', taskHash: 'abc', spec });
  const server = of({ shape: 'without-an-end', command: 'serve', ready: 'up', restart });
  expect(server).toEqual({ task: 'abc', command: 'serve', serve: { ready: 'up', restart } });
  const command = of({ shape: 'to-an-end', command: 'true' });
  expect(command).toEqual({ task: 'abc', command: 'true' });
  for (const args of [server, command]) expect(JobArgs.parse(args)).toEqual(args);
  expect(of(TRIAL_SPEC)).toBeNull();
  expect(of({ shape: 'short-runs' })).toBeNull();
  const spec: JobSpec = { shape: 'to-an-end', command: 'true' };
  expect(jobArgsOf({ kind: 'command', taskHash: null, spec })).toBeNull();
  expect(jobArgsOf({ kind: 'update', taskHash: 'abc', spec })).toBeNull();
});

test('the pause of a server that names none is one that a job may name', () => {
  expect(JobSpec.safeParse({ shape: 'without-an-end', command: 'x', ready: 'y', restart: RESTART }).success).toBe(true);
});
