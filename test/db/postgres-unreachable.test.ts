import { expect, test } from 'vitest';
import { isPostgresUnreachable, postgresUnreachableMessage } from '../../db/postgres-unreachable.ts';

const messageOf = (code: string, message: string): string =>
  postgresUnreachableMessage(Object.assign(new Error(message), { code }));

test('a Postgres that rejects the login or lacks the database was reached, so no stack has to be started', () => {
  const rejected = 'password authentication failed for user "u"';
  expect(messageOf('28P01', rejected)).toBe(
    `Postgres rejected the login (${rejected}). Check the user and the password in DATABASE_URL.`,
  );
  expect(messageOf('28000', 'role "u" does not exist')).toMatch(/^Postgres rejected the login \(role "u"/);
  expect(messageOf('3D000', 'database "nodb" does not exist')).toBe(
    'Postgres has no such database (database "nodb" does not exist). ' +
      'Check the name in DATABASE_URL, or create the database.',
  );
});

test('for a Postgres that does not answer, the message names the command that starts it', () => {
  expect(messageOf('ECONNREFUSED', 'connect ECONNREFUSED ::1:5')).toMatch(
    /^Cannot reach Postgres: connect ECONNREFUSED ::1:5\. Start the stack with `npx perpetua up`/,
  );
});

test("the driver's words for a connection or an answer that did not come in time mean that Postgres is away", () => {
  for (const message of ['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'])
    expect(isPostgresUnreachable(new Error(message))).toBe(true);
  expect(isPostgresUnreachable(new Error('canceling statement due to statement timeout'))).toBe(false);
});
