import { sql } from 'drizzle-orm';
import { expect, inject, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { migrate } from '../../../db/migrate.ts';
import { makeDatabase } from '../../support/database/make-database.ts';
import { query, urlAs } from '../reader/support.ts';

const server = inject('sharedPostgres');

/** Defaults of a database, and others of a role: each changes what some statement or the driver returns. */
const WRONG = {
  database: {
    datestyle: `'SQL, DMY'`,
    intervalstyle: `'sql_standard'`,
    timezone: `'Asia/Kathmandu'`,
    bytea_output: `'escape'`,
    standard_conforming_strings: 'off',
    extra_float_digits: '-15',
    client_encoding: `'LATIN1'`,
    search_path: `'elsewhere'`,
  },
  role: {
    datestyle: `'German'`,
    intervalstyle: `'iso_8601'`,
    timezone: `'America/St_Johns'`,
    extra_float_digits: '0',
    array_nulls: 'off',
    transform_null_equals: 'on',
    default_transaction_isolation: `'serializable'`,
  },
};

/** Values of each kind that the program stores and reads, as the driver returns them. */
const VALUES = sql`
  select timestamptz '2026-03-04 05:06:07.891+00' as "at", (timestamptz '2026-03-04 05:06:07.891+00')::text as "atText",
    interval '1 day 2.5 hours' as "interval", '\\x00ff5c'::bytea as "bytes", (0.1::float8 + 0.2)::text as "sum",
    0.1::float8 + 0.2 as "number", 'a\\nb' as "slashes", ${'Grüße 日本 🦊'}::text as "text",
    ${sql.param(['a', null])}::text[] as "list", '{NULL,b}'::text[] as "literal", (select null = null) as "equal",
    current_setting('transaction_isolation') as "isolation", now()::date = (now() at time zone 'UTC')::date as "day"`;

async function valuesAt(url: string): Promise<unknown> {
  const { db, close } = connect(url, { max: 1, onError: () => undefined });
  try {
    return (await db.execute(VALUES)).rows;
  } finally {
    await close();
  }
}

const setAll = (target: string, settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `alter ${target} set ${name} = ${value}`);

test('defaults of a database and of a role change no value, and no table moves to another schema', async () => {
  const [usual, url] = [await makeDatabase(server), await makeDatabase(server)];
  const [role, name] = [`wrong_${process.pid}`, new URL(url).pathname.slice(1)];
  await query(
    url,
    `create role ${role} superuser login password 'test-password'`,
    'create schema elsewhere',
    ...setAll(`database ${name}`, WRONG.database),
    ...setAll(`role ${role}`, WRONG.role),
  );
  const wrong = urlAs(url, [role, 'test-password']);
  // The settings do take effect where nothing corrects them.
  expect(await query(wrong, 'show datestyle')).toEqual([{ DateStyle: 'German, DMY' }]);
  for (const one of [usual, wrong]) await migrate(one);
  expect(await valuesAt(wrong)).toEqual(await valuesAt(usual));
  const schemas = `select distinct schemaname from pg_tables where tablename in ('trials', 'researches', 'events')`;
  expect(await query(url, schemas)).toEqual([{ schemaname: 'public' }]);
});
