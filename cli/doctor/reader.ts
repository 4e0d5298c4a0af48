import type { Config } from '../../config/load.ts';
import { type Finding, ok, reasonOf, remark } from './finding.ts';
import { readerAddress } from '../../db/reader/reader-address.ts';
import { administratorStatements } from '../../db/reader/administrator-statements.ts';
import { default as pg } from 'pg';

/** Checks the rights with which the dashboard reads the database. */
export async function checkReader({ databaseUrl }: Config): Promise<Finding> {
  if (databaseUrl === null) return ok('reader', 'the dashboard reads as a database role of its own, made at the start');
  try {
    const { role, url, why } = await readerAddress(databaseUrl);
    if (role === 'reader') return ok('reader', `the dashboard reads as ${new URL(url).username}`);
    const rights = `the dashboard reads with all rights of DATABASE_URL, in read-only transactions: ${why}`;
    return remark('reader', rights, await howToMake(databaseUrl));
  } catch (error) {
    if (isNew(error)) return checkNew(databaseUrl);
    return remark('reader', `not known, since the database cannot be read: ${reasonOf(error)}`);
  }
}

async function howToMake(databaseUrl: string): Promise<string> {
  const statements = await administratorStatements(databaseUrl);
  return `let an administrator of that server run: ${statements.join('; ')}; then start Perpetua again`;
}

/** True for an error of a database without Perpetua's tables. */
const isNew = (error: unknown): boolean => (error as { code?: unknown }).code === '42P01';

/** Checks a database without Perpetua's tables: the first start needs the right to create the reader's role. */
async function checkNew(databaseUrl: string): Promise<Finding> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; may: boolean }>(
      'select rolname as name, rolsuper or rolcreaterole as may from pg_roles where rolname = current_user',
    );
    const [user] = rows;
    if (user?.may) return ok('reader', 'the first start makes a database role for the dashboard');
    return remark(
      'reader',
      `${user?.name} may not make a database role for the dashboard. ` +
        'So the dashboard reads with all rights of DATABASE_URL, in read-only transactions',
      'start Perpetua once, then run `perpetua doctor` again: it prints what an administrator has to run',
    );
  } finally {
    await client.end();
  }
}
