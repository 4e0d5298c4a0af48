import pg from 'pg';
import { RefusedDatabaseError } from './refused-database.ts';
import { requireOwnSessions } from './require-own-sessions.ts';

/** Statements use `date_bin`. */
const OLDEST_VERSION = 14;

interface Facts {
  name: string;
  owner: string;
  encoding: string;
  /** Character classes that new databases of this server have by default. */
  locale: string;
  version: number;
  versionText: string;
  standby: boolean;
  writable: boolean;
  makesSchemas: boolean;
  hasPublic: boolean;
  makesTables: boolean;
  migrated: boolean;
  makesDatabases: boolean;
}

const FACTS = `
  select datname as name, current_user as owner, pg_encoding_to_char(encoding) as encoding,
    (select datctype from pg_database where datname = 'template0') as locale,
    current_setting('server_version_num')::int / 10000 as version,
    current_setting('server_version') as "versionText",
    pg_is_in_recovery() as standby,
    current_setting('transaction_read_only') = 'off' as writable,
    has_database_privilege(current_database(), 'create') as "makesSchemas",
    to_regnamespace('public') is not null as "hasPublic",
    coalesce(has_schema_privilege(to_regnamespace('public'), 'create'), false) as "makesTables",
    to_regclass('drizzle.__drizzle_migrations') is not null as migrated,
    rolsuper or rolcreatedb as "makesDatabases"
  from pg_database join pg_roles on rolname = current_user where datname = current_database()`;

/**
 * Refuses a database or a pooler that Perpetua cannot work with, with the command that corrects it. Writes nothing.
 * `client` is a connection to the URL, without settings yet.
 */
export async function requireUsableDatabase(client: pg.Client, url: string): Promise<void> {
  await requireOwnSessions(client, url);
  const [facts] = (await client.query<Facts>(FACTS)).rows;
  const problem = facts && findProblem(facts, url);
  if (problem) throw new RefusedDatabaseError(problem);
}

function findProblem(facts: Facts, url: string): string | null {
  const { name, encoding, version, versionText, standby, writable } = facts;
  if (version < OLDEST_VERSION)
    return `Expected Postgres ${OLDEST_VERSION} or newer, got ${versionText}: upgrade the server of DATABASE_URL.`;
  if (encoding !== 'UTF8')
    return (
      `Expected the encoding UTF8 of the database ${name}, got ${encoding}: it cannot store all text of programs and ` +
      `models. ${facts.makesDatabases ? 'Make' : 'Let an administrator make'} another database with ` +
      `\`${createCommand(facts, url)}\`, and set DATABASE_URL to it.${facts.migrated ? copyAdvice(facts, url) : ''}`
    );
  if (standby)
    return `Expected the primary of the database ${name}, got a standby, which only reads: correct DATABASE_URL.`;
  if (!writable)
    return (
      `Expected a database that accepts writes, got default_transaction_read_only = on for ${name}: ` +
      `let its administrator run: alter database ${pg.escapeIdentifier(name)} reset default_transaction_read_only ` +
      '(or the same for the role or the server).'
    );
  return findMissingRight(facts);
}

/** The right that a migration needs and the user does not have, with the statement that grants it; null if none. */
function findMissingRight({ name, owner, makesSchemas, hasPublic, makesTables, migrated }: Facts): string | null {
  const [database, user] = [name, owner].map(pg.escapeIdentifier);
  if (!makesSchemas) return missingRight(owner, `grant create on database ${database} to ${user}`);
  if (!hasPublic) return missingRight(owner, `create schema public authorization ${user}`);
  // The owner of the tables may be another role that this user belongs to.
  if (!makesTables && !migrated) return missingRight(owner, `grant create on schema public to ${user}`);
  return null;
}

const missingRight = (owner: string, statement: string): string =>
  `Expected the user ${owner} of DATABASE_URL to have the right to create tables; it does not. ` +
  `Let an administrator of the database run: ${statement}`;

const otherName = (name: string): string => `${name}_utf8`;

/** Command that makes an empty database beside this one, for the same server and user. */
function createCommand({ name, owner, locale, makesDatabases }: Facts, url: string): string {
  const { username, ...server } = serverOptions(url);
  // A locale of another encoding would be refused.
  const fits = /^(C|POSIX|.*utf-?8)$/i.test(locale);
  const options = {
    ...server,
    ...(makesDatabases ? { username } : { owner }),
    encoding: 'UTF8',
    template: 'template0',
    locale: fits ? '' : 'C',
  };
  return ['createdb', ...optionWords(options), shellWord(otherName(name))].join(' ');
}

function copyAdvice({ name }: Facts, url: string): string {
  const server = optionWords(serverOptions(url)).join(' ');
  const [from, into] = [name, otherName(name)].map(shellWord);
  const copy = `pg_dump --encoding=UTF8 ${server} ${from} | psql ${server} ${into}`;
  return ` To keep its researches, copy it first: \`${copy}\`.`;
}

/** Server and user of a URL, without the password; an empty text stands for the programs' default. */
function serverOptions(url: string) {
  const { hostname, port, username, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? decodeURIComponent(hostname),
    port: searchParams.get('port') ?? port,
    username: searchParams.get('user') ?? decodeURIComponent(username),
  };
}

const optionWords = (options: Readonly<Record<string, string>>): string[] =>
  Object.entries(options).flatMap(([key, value]) => (value === '' ? [] : [`--${key}=${shellWord(value)}`]));

/** A word as a shell reads it. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
