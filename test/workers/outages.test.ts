import { expect, test } from 'vitest';
import { createOutages, outageOf } from '../../workers/logger.ts';

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED ::1:5'), { code: 'ECONNREFUSED', syscall: 'connect' });
const failedQuery = (cause: Error) =>
  Object.assign(new Error('Failed query: select "id"\nparams: 1', { cause }), { query: 'select "id"', params: [1] });

test('the outage of a statement that reached no server is its cause, without the statement', () => {
  expect(outageOf(failedQuery(refused()))).toBe('Postgres does not answer: connect ECONNREFUSED ::1:5');
  const broken = new Error('Connection terminated unexpectedly');
  expect(outageOf(failedQuery(broken))).toBe('Postgres does not answer: Connection terminated unexpectedly');
});

test('a connection that breaks between statements is an outage, too', () => {
  const error = new Error('Client has encountered a connection error and is not queryable');
  expect(outageOf(error)).toBe(`Postgres does not answer: ${error.message}`);
});

test('a refused connection alone is not said to be that of Postgres', () => {
  expect(outageOf(new Error('box: cannot log in', { cause: refused() }))).toBe('box: cannot log in');
  const both = Object.assign(new AggregateError([refused()], ''), { code: 'ECONNREFUSED', syscall: 'connect' });
  expect(outageOf(both)).toBe('connect ECONNREFUSED ::1:5');
});

test('an error of Postgres on a statement that reached it is no outage', () => {
  expect(outageOf(failedQuery(Object.assign(new Error('duplicate key'), { code: '23505' })))).toBeNull();
  expect(outageOf(undefined)).toBeNull();
});

test('a repeated cause is reported ever more seldom, with its count', () => {
  const count = createOutages();
  const reports = Array.from({ length: 20 }, (_, now) => count('away', now)).flatMap((report) => report ?? []);
  expect(reports).toEqual([1, 2, 4, 8, 16].map((times) => ({ count: times, since: 0 })));
  expect(count('another cause', 20)).toEqual({ count: 1, since: 20 });
});

test('an outage after a long quiet is counted again', () => {
  const count = createOutages();
  for (let now = 0; now < 3; now++) count('away', now);
  expect(count('away', 3_600_000)).toEqual({ count: 1, since: 3_600_000 });
});
