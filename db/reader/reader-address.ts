import pg from 'pg';
import { KEEP_ALIVE } from '../keep-alive.ts';
import { readerRole, SETTINGS, type ReaderRole } from './role.ts';

/** Where the dashboard reads. */
export interface ReaderAddress {
  /** With a password. */
  url: string;
  /** `reader`: as the role that may read what pages show; `read-only`: with all rights of DATABASE_URL, in read-only transactions. */
  role: 'reader' | 'read-only';
  /** Why it is not the role, in words; null where it is. */
  why: string | null;
}

/** Finds the best way to read a migrated database. Throws where it cannot be reached, or was never migrated. */
export async function readerAddress(url: string): Promise<ReaderAddress> {
  const rows = await ask<{ id: string; secret: string }>(url, 'select id, secret from installations');
  if (!rows[0]) throw new Error('Expected an installation id in the database, found none: run the migrations');
  const role = readerRole(rows[0]);
  const own = urlAs(url, role);
  const why = await whyNot(own, role);
  return why === null ? { url: own, role: 'reader', why } : { url: readOnlyUrl(url), role: 'read-only', why };
}

interface Rights {
  powerful: boolean;
  writes: boolean;
  knowsMore: boolean;
  reads: boolean;
}

/** Why a page cannot be read as the role; null where it can. */
async function whyNot(url: string, { name }: ReaderRole): Promise<string | null> {
  let rights: Rights | undefined;
  try {
    [rights] = await ask<Rights>(url, RIGHTS_OF_SESSION);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code?.startsWith('28')) return `${name} cannot log in: ${message}`;
    throw error;
  }
  if (!rights || rights.powerful || rights.knowsMore) return `${name} may do more than read what pages show`;
  if (rights.writes) return `${name} is given sessions that are not read-only`;
  return rights.reads ? null : `${name} may not read the tables`;
}

const RIGHTS_OF_SESSION = `
  select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
      or exists (select 1 from pg_auth_members where member = pg_roles.oid) as powerful,
    current_setting('default_transaction_read_only') <> 'on' as writes,
    has_any_column_privilege('installations', 'select') or has_column_privilege('trials', 'evaluator_seed', 'select')
      or has_any_column_privilege('trials', 'insert, update') or has_table_privilege('trials', 'delete')
      or has_any_column_privilege('blobs', 'select') as "knowsMore",
    has_column_privilege('trials', 'id', 'select') and has_column_privilege('candidate_files', 'content', 'select') as reads
  from pg_roles where rolname = current_user`;

async function ask<R extends pg.QueryResultRow>(url: string, statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...KEEP_ALIVE });
  client.on('error', () => undefined); // reported by the query
  await client.connect();
  try {
    return (await client.query<R>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The same database for another user; one that is reached by a socket has no host before which a name could stand. */
function urlAs(url: string, { name, password }: ReaderRole): string {
  const changed = new URL(url);
  for (const key of ['user', 'password']) changed.searchParams.delete(key);
  if (changed.host === '') {
    changed.searchParams.set('user', name);
    changed.searchParams.set('password', password);
  }
  [changed.username, changed.password] = [name, password];
  return changed.href;
}

/** The same database and user, whose sessions have the role's defaults. */
function readOnlyUrl(url: string): string {
  const changed = new URL(url);
  const before = changed.searchParams.get('options');
  const options = Object.entries(SETTINGS).map(([key, value]) => `-c ${key}=${value}`);
  changed.searchParams.set('options', [...(before ? [before] : []), ...options].join(' '));
  return changed.href;
}
