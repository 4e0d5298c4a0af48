import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { KEEP_ALIVE } from './keep-alive.ts';
import * as schema from './schema.ts';

export type Db = NodePgDatabase<typeof schema>;
/** Database, or transaction on it, that a query runs on. */
export type Tx = Db | Parameters<Parameters<Db['transaction']>[0]>[0];

/** Opens a connection pool. `onError` receives errors of idle connections, which the pool replaces by itself. */
export function connect(url: string, options: { max: number; onError: (error: Error) => void }) {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    ...KEEP_ALIVE,
  });
  pool.on('error', options.onError);
  // A connection that breaks in use also fails its query. Without this listener its event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { db: drizzle(pool, { schema }) satisfies Db, pool, close: () => pool.end() };
}

/** Runs `work` under an advisory lock, so that one process at a time does it. The lock of a dead process is free. */
export async function withLock<R>(url: string, lock: number, work: () => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...KEEP_ALIVE });
  // The connection may break while `work` runs: no step fails, because each is safe to repeat.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lock]);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
