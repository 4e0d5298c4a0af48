import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import * as schema from './schema.ts';

type Database = NodePgDatabase<typeof schema>;

/**
 * Creates the function `transaction` of a database. Unlike the driver's own, it returns its client to the pool also if
 * `begin` fails. It destroys a client on which `begin`, `commit` or `rollback` failed: a transaction may be open there.
 */
export function createTransaction(pool: pg.Pool): Database['transaction'] {
  // The driver derives relations from the schema each time that it wraps a client.
  const databases = new WeakMap<pg.PoolClient, Database>();
  const databaseOf = (client: pg.PoolClient): Database => {
    const database = databases.get(client) ?? drizzle(client, { schema });
    databases.set(client, database);
    return database;
  };

  return async (work, config) => {
    const client = await pool.connect();
    let failure: { error: unknown } | undefined;
    let isClosed = false;
    try {
      const result = await databaseOf(client).transaction(async (tx) => {
        try {
          return await work(tx);
        } catch (error) {
          failure = { error };
          throw error;
        }
      }, config);
      isClosed = true;
      return result;
    } catch (error) {
      // The driver throws the error of `work` only after a successful rollback.
      isClosed = failure !== undefined && failure.error === error;
      throw failure === undefined ? error : failure.error;
    } finally {
      client.release(!isClosed);
    }
  };
}
