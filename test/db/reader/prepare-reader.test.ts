import { beforeAll, expect, inject, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { migrate } from '../../../db/migrate.ts';
import { administratorStatements } from '../../../db/reader/administrator-statements.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import { READER_SETTINGS } from '../../../db/reader/role.ts';
import { makeDatabase } from '../../support/database/make-database.ts';
import { query, urlAs } from './support.ts';

const server = inject('sharedPostgres');
let count = 0;

/** Makes an empty database that a new user with these rights owns. */
async function databaseOf(rights: string): Promise<string> {
  const [name, url] = [`owner_${process.pid}_${(count += 1)}`, await makeDatabase(server)];
  await query(
    url,
    `create role ${name} login password 'test-password' ${rights}`,
    `alter schema public owner to ${name}`,
    `grant all on database ${new URL(url).pathname.slice(1)} to ${name}`,
  );
  return urlAs(url, [name, 'test-password']);
}

const nameIn = (url: string): string => new URL(url).username;
const insert = `insert into alerts (research_id, message) values ('r', 'm')`;

let url = '';
beforeAll(async () => {
  url = await makeDatabase(server);
  await migrate(url);
});

test('concurrent migrations of several databases of a server make one role for each installation', async () => {
  const others = await Promise.all([makeDatabase(server), makeDatabase(server)]);
  const all = [...others, ...others, url, url];
  await Promise.all(all.map((one) => migrate(one)));
  const addresses = await Promise.all(all.map((one) => readerAddress(one)));
  expect(addresses.map(({ role }) => role)).toEqual(all.map(() => 'reader'));
  expect(new Set(addresses.map((one) => nameIn(one.url))).size).toBe(3);
  for (const address of addresses) expect(await query(address.url, 'select id from trials')).toEqual([]);
});

test('the next migration corrects a changed role', async () => {
  const before = await readerAddress(url);
  const name = nameIn(before.url);
  await query(
    url,
    `alter role ${name} superuser createrole nologin password 'another' connection limit -1`,
    `alter role ${name} set default_transaction_read_only = off`,
    `grant insert, delete on alerts to ${name}`,
    `grant select (evaluator_seed) on trials to ${name}`,
    `revoke select (id) on trials from ${name}`,
    `grant pg_read_all_data, pg_write_all_data to ${name}`,
  );
  expect(await readerAddress(url)).toMatchObject({ role: 'read-only', why: expect.stringContaining('cannot log in') });
  await migrate(url);
  expect(await readerAddress(url)).toEqual(before);
  await expect(query(before.url, 'set transaction_read_only = off', insert)).rejects.toThrow();
  await expect(query(before.url, 'select evaluator_seed from trials')).rejects.toThrow(/permission denied/);
  const [role] = await query(
    url,
    `select rolsuper, rolcreaterole, rolconnlimit from pg_roles where rolname = '${name}'`,
  );
  expect(role).toEqual({ rolsuper: false, rolcreaterole: false, rolconnlimit: 20 });
});

test.each([
  ['alter role ? createdb', 'may do more than read what pages show'],
  ['grant pg_read_all_data to ?', 'may do more than read what pages show'],
  ['grant select on blobs to ?', 'may do more than read what pages show'],
  ['alter role ? reset default_transaction_read_only', 'is given sessions that are not read-only'],
  ['revoke select (id) on trials from ?', 'may not read the tables'],
])('a role after `%s` is not used: it %s', async (change, why) => {
  const name = nameIn((await readerAddress(url)).url);
  await query(url, change.replace('?', name));
  expect(await readerAddress(url)).toMatchObject({ role: 'read-only', why: expect.stringContaining(why) });
  await migrate(url);
  expect(await readerAddress(url)).toMatchObject({ role: 'reader' });
});

test('a user with createrole who is no superuser makes the role', async () => {
  const own = await databaseOf('createrole');
  await migrate(own);
  const { role, url: reader } = await readerAddress(own);
  expect(role).toBe('reader');
  await expect(query(reader, 'set transaction_read_only = off', insert)).rejects.toThrow();
  // A second migration finds the role.
  await migrate(own);
  expect(await readerAddress(own)).toMatchObject({ role: 'reader' });
});

test('a user without createrole reads in read-only transactions until an administrator has made the role', async () => {
  const own = await databaseOf('');
  await migrate(own);
  const { role, url: fallback, why } = await readerAddress(own);
  expect({ role, why }).toMatchObject({
    role: 'read-only',
    why: expect.stringMatching(/^perpetua_reader_\w{12} cannot log in/),
  });
  expect(nameIn(fallback)).toBe(nameIn(own));
  // The dashboard connects so, whatever the user.
  const { pool, close } = connect(fallback, { max: 1, onError: () => undefined, settings: READER_SETTINGS });
  await expect(pool.query(insert)).rejects.toThrow(/read-only transaction/);
  expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '5s' }]);
  await close();
  const statements = await administratorStatements(own);
  const { password } = new URL(own);
  expect(statements.join()).not.toContain(password);
  await query(urlAs(own, [new URL(server).username, new URL(server).password]), ...statements);
  expect(await readerAddress(own)).toMatchObject({ why: expect.stringContaining('may not read the tables') });
  await migrate(own);
  const made = await readerAddress(own);
  expect(made).toMatchObject({ role: 'reader', why: null });
  expect(statements.join()).not.toContain(new URL(made.url).password);
});

test('a database that cannot be reached, or was never migrated, is an error', async () => {
  await expect(readerAddress('postgres://a:b@127.0.0.1:1/c')).rejects.toThrow(/ECONNREFUSED/);
  await expect(readerAddress(await makeDatabase(server))).rejects.toThrow(/installations/);
});
