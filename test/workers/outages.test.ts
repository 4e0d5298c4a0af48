import { expect, test } from 'vitest';
import { createOutages, outageOf } from '../../workers/logger.ts';

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED ::1:5'), { code: 'ECONNREFUSED', syscall: 'connect' });
const failedQuery = (cause: Error) =>
  Object.assign(new Error('Failed query: select "id"\nparams: 1', { cause }), { query: 'select "id"', params: [1] });

test('a statement that reached no server is told by its cause, without the statement', () => {
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

test('what Postgres says of a statement that reached it is no outage', () => {
  expect(outageOf(failedQuery(Object.assign(new Error('duplicate key'), { code: '23505' })))).toBeNull();
  expect(outageOf(undefined)).toBeNull();
});

test('what comes again is told ever more seldom, with how often it came', () => {
  const heard = createOutages();
  const told = Array.from({ length: 20 }, (_, now) => heard('away', now)).flatMap((one) => one ?? []);
  expect(told).toEqual([1, 2, 4, 8, 16].map((count) => ({ count, since: 0 })));
  expect(heard('another cause', 20)).toEqual({ count: 1, since: 20 });
});

test('an outage after a long quiet is news again', () => {
  const heard = createOutages();
  for (let now = 0; now < 3; now++) heard('away', now);
  expect(heard('away', 3_600_000)).toEqual({ count: 1, since: 3_600_000 });
});
