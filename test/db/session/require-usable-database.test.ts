import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { toCliError } from '../../../cli/errors.ts';
import { migrate } from '../../../db/migrate.ts';
import { describeStart } from '../../../workers/describe-start.ts';
import { makeDatabase } from '../../support/database/make-database.ts';
import { query, urlAs } from '../reader/support.ts';

const server = inject('sharedPostgres');
let count = 0;

/** A database with these options, as `create database` takes them. */
async function databaseWith(options: string): Promise<string> {
  const name = `other_${process.pid}_${(count += 1)}`;
  await query(server, `create database ${name} ${options}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

const otherEncoding = (encoding: string) =>
  databaseWith(`encoding '${encoding}' template template0 locale_provider libc locale 'C'`);

/** A user without further rights, and an empty database on which the user may do what `rights` say. */
async function databaseOf(rights: (name: { user: string; database: string }) => string[]): Promise<string> {
  const url = await makeDatabase(server);
  const [user, database] = [`plain_${process.pid}_${(count += 1)}`, new URL(url).pathname.slice(1)];
  await query(url, `create role ${user} login password 'test-password'`, ...rights({ user, database }));
  return urlAs(url, [user, 'test-password']);
}

const commandIn = (message: string): string => /`(createdb [^`]+)`/.exec(message)?.[1] ?? expect.unreachable(message);

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => expect.unreachable('it was accepted'),
    (error: Error) => error.message,
  );

test.each(['LATIN1', 'SQL_ASCII', 'EUC_JP', 'WIN1252'])(
  'a database with the encoding %s is refused with the command that makes another one, and stays empty',
  async (encoding) => {
    const url = await otherEncoding(encoding);
    const { port, pathname } = new URL(url);
    const message = await messageOf(migrate(url));
    expect(message).toContain(`Expected the encoding UTF8 of the database ${pathname.slice(1)}, got ${encoding}`);
    expect(commandIn(message)).toBe(
      `createdb --host=127.0.0.1 --port=${port} --username=perpetua --encoding=UTF8 --template=template0 ` +
        `${pathname.slice(1)}_utf8`,
    );
    expect(message).not.toContain(new URL(url).password);
    const schemas = await query(url, `select 1 from pg_namespace where nspname = 'drizzle'`);
    expect(schemas).toEqual([]);
  },
);

const hasCreatedb = await promisify(execFile)('createdb', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!hasCreatedb)('that command makes a database that is accepted', async () => {
  const url = await otherEncoding('LATIN1');
  const [program = '', ...words] = commandIn(await messageOf(migrate(url))).split(' ');
  const { password, pathname } = new URL(url);
  await promisify(execFile)(program, words, {
    env: { ...process.env, PGPASSWORD: decodeURIComponent(password) },
  });
  await migrate(Object.assign(new URL(url), { pathname: `${pathname}_utf8` }).href);
});

test('a user who may not create databases gets a command for an administrator, a used database its copy', async () => {
  const url = await otherEncoding('LATIN1');
  await query(url, `create role some_owner_${process.pid} login password 'test-password'`, 'create schema drizzle');
  await query(url, 'create table drizzle.__drizzle_migrations (id int)', 'grant usage on schema drizzle to public');
  const message = await messageOf(migrate(urlAs(url, [`some_owner_${process.pid}`, 'test-password'])));
  expect(message).toMatch(/Let an administrator make another database/);
  expect(commandIn(message)).toContain(`--owner=some_owner_${process.pid}`);
  expect(message).toMatch(/`pg_dump --encoding=UTF8 --host=127\.0\.0\.1 .* \| psql --host=127\.0\.0\.1 .*_utf8`/);
});

test('commands and workers end as refused, with the message alone', async () => {
  const error: unknown = await migrate(await otherEncoding('LATIN1')).catch((thrown: unknown) => thrown);
  expect(toCliError(error)).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/^Expected the encoding/),
  });
  expect(describeStart(error)).toMatchObject({ code: 2, message: expect.stringMatching(/^Expected the encoding/) });
});

test('a server or role without a connection left is named with the number that Perpetua needs', async () => {
  const url = await databaseOf(({ user }) => [`alter role ${user} connection limit 1`]);
  const error: unknown = await migrate(url).catch((thrown: unknown) => thrown);
  expect(toCliError(error)).toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^Postgres has no connection left \(too many connections .* needs about 25/),
  });
});

test('a database that only reads is refused with the statement that changes it', async () => {
  const url = await makeDatabase(server);
  const name = new URL(url).pathname.slice(1);
  await query(url, `alter database ${name} set default_transaction_read_only = on`);
  const message = await messageOf(migrate(url));
  const statement = /alter database \S+ reset default_transaction_read_only/.exec(message)?.[0] ?? message;
  await query(url, 'set default_transaction_read_only = off', statement);
  await migrate(url);
});

test.each([
  ['create in the database', () => [], /grant create on database \S+ to \S+/],
  [
    'create tables',
    ({ user, database }: { user: string; database: string }) => [`grant create on database ${database} to ${user}`],
    /grant create on schema public to \S+/,
  ],
  [
    'use a schema public, since there is none',
    ({ user, database }: { user: string; database: string }) => [
      `grant create on database ${database} to ${user}`,
      'drop schema public',
    ],
    /create schema public authorization \S+/,
  ],
])('a user who may not %s is refused with the statement that allows it', async (_, rights, pattern) => {
  const url = await databaseOf(rights);
  const message = await messageOf(migrate(url));
  expect(message).toMatch(/Expected the user plain_\w+ of DATABASE_URL to have the right to create tables/);
  const { username, password } = new URL(server);
  const asAdministrator = urlAs(url, [username, password]);
  await query(asAdministrator, pattern.exec(message)?.[0] ?? message);
  if (!message.includes('schema')) await query(asAdministrator, `grant create on schema public to public`);
  await migrate(url);
});
