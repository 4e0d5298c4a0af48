import { expect, test } from 'vitest';
import { jobArgsOf } from '../../../domain/messages/job-args.ts';
import { type JobSpec, RESTART, TRIAL_SPEC } from '../../../domain/job.ts';
import { shapeOf } from '../../../domain/job/shape-of.ts';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';

test('a shape says what a job runs, and whether it serves', () => {
  expect(shapeOf(TRIAL_SPEC)).toEqual({ command: null, serves: null });
  expect(shapeOf({ shape: 'to-an-end', command: 'true' })).toEqual({ command: 'true', serves: null });
  const serves = { ready: 'up', restart: RESTART };
  expect(shapeOf({ shape: 'without-an-end', command: 'serve', ...serves })).toEqual({ command: 'serve', serves });
  expect(shapeOf({ shape: 'short-runs' })).toEqual({ command: null, serves: null });
});

test.each(['by-the-hour', 'toString', undefined])('a stored shape %s stands for no other one', (shape) => {
  const spec = { shape, command: 'true', ready: 'up' } as unknown as JobSpec;
  expect(() => shapeOf(spec)).toThrow(UnknownMethod);
  expect(() => jobArgsOf({ kind: 'command', taskHash: 'abc', spec })).toThrow(UnknownMethod);
});
