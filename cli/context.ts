import { loadConfig, type Config } from '../config/load.ts';
import { resolveDatabase, resolveTemporal, type Addresses } from '../config/resolve.ts';
import { connect, type Db } from '../db/connect.ts';
import { withClient, type Temporal as TemporalAt } from '../steering/with-client.ts';
import { printNote, type Io } from './io.ts';

/** The configuration of this command. Throws ConfigError. */
export function configOf(io: Io): Config {
  return io.env ? loadConfig(io.env) : loadConfig();
}

/** Opens the database for one command and closes it afterwards. */
export async function withDb<T>(io: Io, use: (db: Db) => Promise<T>): Promise<T> {
  const url = await resolveDatabase(configOf(io));
  const { db, close } = connect(url, { max: 4, onError: (error) => printNote(io, `Postgres: ${error.message}`) });
  try {
    return await use(db);
  } finally {
    await close();
  }
}

/** A connected client, and the address that the configuration names. */
export type Temporal = TemporalAt<Addresses['temporal']>;

/**
 * Connects to Temporal for one command. Throws SteeringError `unreachable` if no connection is made within `seconds`,
 * and NamespaceMissingError if the server lacks the namespace.
 */
export async function withTemporal<T>(io: Io, use: (temporal: Temporal) => Promise<T>, seconds = 5): Promise<T> {
  const config = configOf(io);
  const { sender = 'command-line' } = io;
  return withClient(await resolveTemporal(config), { sender, env: config.env, seconds }, use);
}
