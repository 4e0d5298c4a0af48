import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { KEEP_ALIVE } from './keep-alive.ts';
import * as schema from './schema.ts';

export type Db = NodePgDatabase<typeof schema>;
/** What a query runs on: the database or a transaction on it. */
export type Tx = Db | Parameters<Parameters<Db['transaction']>[0]>[0];

/** A pool of connections; `onError` hears of those that broke while they were idle (the pool replaces them by itself). */
export function connect(url: string, options: { max: number; onError: (error: Error) => void }) {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    ...KEEP_ALIVE,
  });
  pool.on('error', options.onError);
  // One that breaks in use fails its query; its own event, unheard, would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { db: drizzle(pool, { schema }) satisfies Db, pool, close: () => pool.end() };
}

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
