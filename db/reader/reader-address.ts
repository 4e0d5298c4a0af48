import type pg from 'pg';
import { withClient } from '../session/settings.ts';
import { readerRole, type ReaderRole } from './role.ts';

/** Connection with which the dashboard reads. */
export interface ReaderAddress {
  /** Includes a password. */
  url: string;
  /**
   * `reader`: the role that may read what pages show. `read-only`: the user of DATABASE_URL with all its rights, in
   * read-only transactions.
   */
  role: 'reader' | 'read-only';
  /** Reason why it is not the role, in words; null if it is. */
  why: string | null;
}

/** Finds the best way to read a migrated database. Throws if it cannot be reached, or was never migrated. */
export async function readerAddress(url: string): Promise<ReaderAddress> {
  const rows = await queryOnce<{ id: string; secret: string }>(url, 'select id, secret from installations');
  if (!rows[0]) throw new Error('Expected an installation id in the database, found none: run the migrations');
  const role = readerRole(rows[0]);
  const readerUrl = urlAs(url, role);
  const why = await whyNot(readerUrl, role);
  return why === null ? { url: readerUrl, role: 'reader', why } : { url, role: 'read-only', why };
}

interface Rights {
  powerful: boolean;
  writes: boolean;
  knowsMore: boolean;
  reads: boolean;
}

/** Reason why pages cannot be read as the role; null if they can. */
async function whyNot(url: string, { name }: ReaderRole): Promise<string | null> {
  let rights: Rights | undefined;
  try {
    [rights] = await queryOnce<Rights>(url, RIGHTS_OF_SESSION);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // pgbouncer refuses a user that it does not know with a code of class 08.
    if (/^(28|08)/.test(code ?? '')) return `${name} cannot log in: ${message}`;
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
    has_column_privilege('trials', 'id', 'select')
      and has_column_privilege('candidate_files', 'content', 'select') as reads
  from pg_roles where rolname = current_user`;

const queryOnce = <R extends pg.QueryResultRow>(url: string, statement: string): Promise<R[]> =>
  withClient(url, async (client) => (await client.query<R>(statement)).rows);

/** URL of the same database for another user. The URL of a socket has no host, so the user becomes a parameter. */
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
