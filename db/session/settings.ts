import { hostname } from 'node:os';
import pg from 'pg';
import { KEEP_ALIVE } from '../keep-alive.ts';

/**
 * Settings that the statements and the driver rely on. A database or a role may have others by default, and each of
 * these then changes values, their text, or the table that a name refers to.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  // Lower values round numbers.
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // Migrations create and reference tables in this schema.
  search_path: 'public',
  // Statements that wait for a row lock read the row anew.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
};

/** Name of this process's sessions in `pg_stat_activity`, unless the URL has another one. Postgres keeps 63 bytes. */
const APPLICATION = `perpetua ${process.pid}@${hostname()}`.slice(0, 63);

/** Options of every connection to the database. */
export const connectionOptions = (url: string) => ({
  connectionString: url,
  connectionTimeoutMillis: 10_000,
  fallback_application_name: APPLICATION,
  ...KEEP_ALIVE,
});

/**
 * Sets what this program relies on, and `more`, for a session. A statement does it, not the connection's options:
 * pgbouncer refuses or ignores these options.
 */
export async function applySettings(
  client: Pick<pg.ClientBase, 'query'>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const all = Object.entries({ ...SETTINGS, ...more });
  await client.query(all.map(([name, value]) => `set ${name} = ${pg.escapeLiteral(value)}`).join('; '));
}

/** Opens one connection with these settings, and closes it after `use`. */
export async function withClient<R>(url: string, use: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client(connectionOptions(url));
  // The statement that a broken connection interrupts reports the error. Without this listener it ends the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await applySettings(client);
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
