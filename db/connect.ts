import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import * as schema from './schema.ts';
import { applySettings, connectionOptions, withClient } from './session/settings.ts';
import { createTransaction } from './transaction.ts';

export type Db = NodePgDatabase<typeof schema>;
/** Database, or transaction on it, that a query runs on. */
export type Tx = Db | Parameters<Parameters<Db['transaction']>[0]>[0];

interface PoolOptions {
  max: number;
  /** Receives errors of idle connections, which the pool replaces by itself. */
  onError: (error: Error) => void;
  /** Settings of its sessions beside those that every session has. */
  settings?: Readonly<Record<string, string>>;
  /** True: connections send a statement before the one before it is answered, as `readTogether` needs it. */
  pipeline?: boolean;
}

/** Opens a connection pool. */
export function connect(url: string, { max, onError, settings, pipeline = false }: PoolOptions) {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    max,
    pipeline,
    idleTimeoutMillis: 30_000,
    // The pool waits for the promise. Its types do not say so.
    onConnect: (client): unknown => applySettings(client, settings),
  });
  pool.on('error', onError);
  // A connection that breaks in use also fails its query. Without this listener its event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db: Db = drizzle(pool, { schema });
  db.transaction = createTransaction(pool);
  return { db, pool, close: () => pool.end() };
}

/**
 * Runs `work` under an advisory lock, so that one process at a time does it. The lock of a dead process is free. The
 * connection may break while `work` runs: no step fails, because each is safe to repeat.
 */
export const withLock = <R>(url: string, lock: number, work: () => Promise<R>): Promise<R> =>
  withClient(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lock]);
    return work();
  });
