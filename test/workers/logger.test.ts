import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { LogEntry } from '@temporalio/worker';
import { WorkerLogger } from '../../workers/logger.ts';

function messagesOf(write: (logger: WorkerLogger) => void): string[] {
  const entries: LogEntry[] = [];
  write(new WorkerLogger('INFO', (entry) => void entries.push(entry)));
  return entries.map(({ message }) => message);
}

test.each([
  ['a worker that stops', 'its runs', 'Detached'],
  ['a worker that was slow', 'a slot', 'OfferLapsed'],
])('%s logs no failure as it lets go of %s', (_, __, type) => {
  const error = ApplicationFailure.retryable('let go of', type);
  expect(messagesOf((logger) => logger.warn('Activity failed', { error }))).toEqual([]);
});

test('any other failure of an activity is logged', () => {
  const error = ApplicationFailure.retryable('the database is away');
  expect(messagesOf((logger) => logger.warn('Activity failed', { error }))).toEqual(['Activity failed']);
});

test('an outage of Postgres is one line, then a count now and then, and no statement and no stack is in it', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED ::1:5'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const error = Object.assign(new Error('Failed query: select', { cause }), { query: 'select' });
  const lines = messagesOf((logger) => {
    for (let attempt = 1; attempt <= 5; attempt++) logger.warn('Activity failed', { error, attempt });
  });
  const line = 'Activity failed: Postgres does not answer: connect ECONNREFUSED ::1:5';
  expect(lines[0]).toBe(line);
  expect(lines.slice(1).map((one) => one.replace(/ since .*\)$/, ')'))).toEqual([
    `${line} (2 times)`,
    `${line} (4 times)`,
  ]);
});

test('an endpoint of a model that is down is one line with the reason', () => {
  const message = 'model endpoint: cannot reach http://127.0.0.1:9/v1: connect ECONNREFUSED 127.0.0.1:9';
  const error = ApplicationFailure.create({ message, type: 'EndpointDown' });
  const lines = messagesOf((logger) => {
    for (let attempt = 1; attempt <= 3; attempt++) logger.warn('Activity failed', { error, attempt });
  });
  expect(lines[0]).toBe(`Activity failed: ${message}`);
  expect(lines).toHaveLength(2);
});

test('the level DEBUG logs each attempt of an outage with its error', () => {
  const error = Object.assign(new Error('the database system is shutting down'), { code: '57P01' });
  const entries: LogEntry[] = [];
  const logger = new WorkerLogger('DEBUG', (entry) => void entries.push(entry));
  for (let attempt = 1; attempt <= 3; attempt++) logger.warn('Activity failed', { error, attempt });
  expect(entries.filter(({ level }) => level === 'DEBUG').map(({ meta }) => meta)).toEqual(
    [1, 2, 3].map((attempt) => ({ error, attempt })),
  );
});
