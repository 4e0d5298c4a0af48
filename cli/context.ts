import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { loadConfig, type Config } from '../config/load.ts';
import { resolveDatabase, resolveTemporal, type Addresses } from '../config/resolve.ts';
import { connect, type Db } from '../db/connect.ts';
import { errorChain } from '../db/postgres-unreachable.ts';
import { clientOptions } from '../infra/temporal/connection-options.ts';
import { NamespaceMissingError } from '../infra/temporal/namespace-missing.ts';
import { connectFailure, temporalUnreachableMessage } from '../infra/temporal/temporal-unreachable.ts';
import { CliError } from './errors.ts';
import { printNote, type Io } from './io.ts';
import { probeLocalAddress } from './probe-local-address.ts';

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

export interface Temporal {
  client: Client;
  address: Addresses['temporal'];
}

/**
 * Connects to Temporal for one command. Throws CliError `unreachable` if no connection is made within `seconds`, and
 * NamespaceMissingError if the server lacks the namespace.
 */
export async function withTemporal<T>(io: Io, use: (temporal: Temporal) => Promise<T>, seconds = 5): Promise<T> {
  const config = configOf(io);
  const { env } = config;
  const address = await resolveTemporal(config);
  const refusal = await probeLocalAddress(address.address);
  if (refusal !== null) throw cannotReach(address.address, refusal);
  // Loaded on demand: it takes a third of a command's time, and most commands read Postgres alone.
  const { Client, Connection } = await import('./temporal/client.ts');
  const connection = await Connection.connect({
    ...clientOptions(address, env),
    connectTimeout: seconds * 1000,
  }).catch(async (error: unknown) => {
    throw cannotReach(address.address, await connectFailure(error, { address: address.address, seconds, env }), error);
  });
  // Aborts open calls before the connection closes: a retry on a closed connection would end the process.
  const over = new AbortController();
  // Every open call adds a listener, and Node warns of the eleventh.
  setMaxListeners(0, over.signal);
  try {
    const client = new Client({ connection, namespace: address.namespace });
    return await connection.withAbortSignal(over.signal, () => use({ client, address }));
  } catch (error) {
    const lacksNamespace = errorChain(error).some(({ name }) => name === 'NamespaceNotFoundError');
    throw lacksNamespace ? new NamespaceMissingError(address, { cause: error }) : error;
  } finally {
    over.abort();
    await connection.close();
  }
}

const cannotReach = (address: string, why: string, cause?: unknown): CliError =>
  new CliError('unreachable', temporalUnreachableMessage(address, why), { cause });
