import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { LogEntry } from '@temporalio/worker';
import { WorkerLogger } from '../../workers/logger.ts';

function told(write: (logger: WorkerLogger) => void): string[] {
  const entries: LogEntry[] = [];
  write(new WorkerLogger('INFO', (entry) => void entries.push(entry)));
  return entries.map(({ message }) => message);
}

test('a worker that stops does not say that letting go of its runs failed', () => {
  const error = ApplicationFailure.retryable('detached from the run', 'Detached');
  expect(told((logger) => logger.warn('Activity failed', { error }))).toEqual([]);
});

test('what an activity fails of is told', () => {
  const error = ApplicationFailure.retryable('the database is away');
  expect(told((logger) => logger.warn('Activity failed', { error }))).toEqual(['Activity failed']);
});
