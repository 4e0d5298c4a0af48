import pg from 'pg';
import { KEEP_ALIVE } from './keep-alive.ts';

/** Does work that only one process of a database does at a time; the lock of one that dies is free. */
export async function withLock<R>(url: string, lock: number, work: () => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...KEEP_ALIVE });
  // A connection that breaks meanwhile fails nothing: each step is keyed.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lock]);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
