import { describe, expect, test } from 'vitest';
import { parseTrialId } from '../../domain/trial/ids.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { JOB_SHAPES, jobIdOf, JobSpec, DEFAULT_RESTART, TRIAL_SPEC, restartPause } from '../../domain/job.ts';
import { JobArgs } from '../../domain/messages.ts';
import { describeRunEnd } from '../../domain/job/describe-run-end.ts';
import { shapeOf } from '../../domain/job/shape-of.ts';
import { UnknownMethod } from '../../domain/method/unknown-method.ts';
import { describeCpuLimit, mostCpuSeconds, overspent } from '../../domain/job/charge.ts';
import { runProblems } from '../../domain/task/contradictions/run-problems.ts';
import { TASK } from '../cli/support/lineage.ts';
import { IGNORE_TERM } from '../../domain/attack/attacks/limits.ts';
import type { Task } from '../../domain/task/task.ts';
import { timeLimitOf } from '../../domain/job/time-limit.ts';

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
])('%j is a valid job spec', (spec) => {
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
])('%j is refused as a job spec', (spec) => {
  expect(JobSpec.safeParse(spec).success).toBe(false);
});

test('a stored command or server gives the arguments that its workflow accepts; another kind of job gives none', () => {
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

test('the default restart pause of a server is a valid one', () => {
  expect(
    JobSpec.safeParse({ shape: 'without-an-end', command: 'x', ready: 'y', restart: DEFAULT_RESTART }).success,
  ).toBe(true);
});

describe('the pause before a restart', () => {
  const PAUSES = { firstSeconds: 0.5, mostSeconds: 10 };

  test('the pause doubles with each failed run, up to the maximum', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((failed) => restartPause(PAUSES, failed))).toEqual([0.5, 1, 2, 4, 8, 10, 10]);
  });

  test('after a good run the pause is the first one again', () => {
    expect(restartPause(PAUSES, 0)).toBe(0.5);
  });

  test.each([1000, 100_000, 2 ** 31])('after %d failed runs the pause is still the maximum', (failed) => {
    expect(restartPause(PAUSES, failed)).toBe(10);
  });
});

describe('the end of a run', () => {
  test.each([
    [{ reason: 'exit', exitCode: 3, signal: null }, 'ended with exit code 3'],
    [{ reason: 'exit', exitCode: null, signal: 'SIGSEGV' }, 'was ended by SIGSEGV'],
    [{ reason: 'memory', exitCode: null, signal: 'SIGKILL' }, 'exceeded its limit: memory'],
    [{ reason: 'killed', exitCode: null, signal: 'SIGTERM' }, 'was killed'],
    [null, 'was lost with its machine'],
  ])('a run whose end is %j %s', (end, words) => {
    expect(describeRunEnd(end)).toBe(words);
  });
});

describe('the shape of a job', () => {
  test('a shape says what a job runs, and whether it serves', () => {
    expect(shapeOf(TRIAL_SPEC)).toEqual({ command: null, serves: null, agent: null });
    expect(shapeOf({ shape: 'to-an-end', command: 'true' })).toEqual({ command: 'true', serves: null, agent: null });
    const serves = { ready: 'up', restart: DEFAULT_RESTART };
    expect(shapeOf({ shape: 'without-an-end', command: 'serve', ...serves })).toEqual({
      command: 'serve',
      serves,
      agent: null,
    });
    expect(shapeOf({ shape: 'short-runs' })).toEqual({ command: null, serves: null, agent: null });
  });

  test.each(['by-the-hour', 'toString', undefined])('an unknown stored shape %s is refused', (shape) => {
    const spec = { shape, command: 'true', ready: 'up' } as unknown as JobSpec;
    expect(() => shapeOf(spec)).toThrow(UnknownMethod);
    expect(() => jobArgsOf({ kind: 'command', taskHash: 'abc', spec })).toThrow(UnknownMethod);
  });
});

describe('the charge of a run', () => {
  test.each([
    [{ kind: 'wall', seconds: 3 }, 9, null],
    [{ kind: 'cpu', seconds: 4 }, null, 6],
    [{ kind: 'cpu', seconds: 4 }, 9, 6],
    [{ kind: 'cpu', seconds: 4, most: 3 }, null, 12],
    // Until the unmodified version has been timed, the limit assumes the slowest core.
    [{ kind: 'reference', seconds: 4 }, null, 12],
    [{ kind: 'reference', seconds: 4, most: 5 }, null, 20],
    [{ kind: 'reference', seconds: 4 }, 6, 9],
    [{ kind: 'reference', seconds: 4, most: 2 }, 6, 12],
    // A core that is faster than the reference core does not lower the limit below that of the budget.
    [{ kind: 'reference', seconds: 4 }, 2, 6],
  ] as const)(
    'a budget of %j, of which the unmodified version takes %s s of CPU, allows %s',
    (budget, unmodified, most) => {
      expect(mostCpuSeconds(budget, unmodified)).toBe(most);
    },
  );

  test('a message names the limit and its origin', () => {
    expect(overspent(1.72, describeCpuLimit(1.5, { kind: 'cpu' }))).toBe(
      'used 1.7 s of CPU, answers included; the limit is 1.5 s (run.budget.most × run.budget.seconds)',
    );
    expect(describeCpuLimit(9, { kind: 'reference' })).toBe('9 s (run.budget.most, see docs/concepts/compute-time.md)');
  });

  test('a budget of wall clock counts no CPU seconds', () => {
    const problemsOf = (kind: 'cpu' | 'wall') =>
      runProblems({ ...TASK, run: { ...TASK.run, budget: { seconds: 2, kind, most: 2 } } }).filter(({ path }) =>
        path.includes('budget'),
      );
    expect(problemsOf('cpu')).toEqual([]);
    expect(problemsOf('wall')).toEqual([
      {
        path: ['run', 'budget', 'most'],
        expected: 'kind cpu or reference, since most limits CPU seconds',
        got: 'the number 2 with kind wall',
        todo: 'remove it, and set run.timeoutSeconds',
      },
    ]);
  });
});

describe('the time limit of a run', () => {
  const taskWith = (run: Partial<Task['run']>): Task => ({ ...TASK, run: { ...TASK.run, ...run } });

  test.each([
    [{ kind: 'wall', seconds: 3 }, undefined, 36],
    [{ kind: 'cpu', seconds: 100 }, undefined, 230],
    [{ kind: 'reference', seconds: 3 }, undefined, 36],
    [{ kind: 'reference', seconds: 100 }, undefined, 600],
    [{ kind: 'reference', seconds: 100 }, 150, 150],
  ] as const)('a budget of %j and timeoutSeconds %s give a run %s s of wall clock', (budget, timeoutSeconds, limit) => {
    expect(timeLimitOf(taskWith({ budget, timeoutSeconds }))).toBe(limit);
  });

  const SLOW = { budget: { kind: 'reference', seconds: 100 }, timeoutSeconds: undefined } as const;

  test('progress.stallSeconds may exceed 2 × budget + 30 if the time limit of the run does', () => {
    const problemsOf = (stallSeconds: number) =>
      runProblems({ ...taskWith(SLOW), progress: { ...TASK.progress!, stallSeconds } }).filter(({ path }) =>
        path.includes('stallSeconds'),
      );
    expect(problemsOf(400)).toEqual([]);
    expect(problemsOf(600)).toMatchObject([{ expected: "less than the run's time limit, 600 seconds" }]);
  });

  test('an attack that runs until its time limit names that limit', () => {
    const target = { task: taskWith(SLOW), immutable: [], mark: 'm', secrets: [], ports: [] };
    expect(IGNORE_TERM.heavy?.(target)).toContain('600 s');
  });
});
