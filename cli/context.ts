import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import type { Config } from '../config/load.ts';
import type { Addresses } from '../config/resolve.ts';
import type { Db } from '../db/connect.ts';
import { temporalAway } from '../infra/temporal/away.ts';
import { CliError } from './errors.ts';
import { note, type Io } from './io.ts';

/** The configuration of this command; loaded on demand, since most of `--help` needs none. */
export async function configOf(io: Io): Promise<Config> {
  const { loadConfig } = await import('../config/load.ts');
  return io.env ? loadConfig(io.env) : loadConfig();
}

/** Opens the lineage for one command and closes it after. */
export async function withDb<T>(io: Io, use: (db: Db) => Promise<T>): Promise<T> {
  const [{ resolveDatabase }, { connect }] = await Promise.all([
    import('../config/resolve.ts'),
    import('../db/connect.ts'),
  ]);
  const url = await resolveDatabase(await configOf(io));
  const { db, close } = connect(url, { max: 4, onError: (error) => note(io, `Postgres: ${error.message}`) });
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

/** Opens Temporal for one command and closes it after; refuses within `seconds` where it cannot be reached. */
export async function withTemporal<T>(io: Io, use: (temporal: Temporal) => Promise<T>, seconds = 5): Promise<T> {
  const { resolveTemporal } = await import('../config/resolve.ts');
  const address = await resolveTemporal(await configOf(io));
  const { whyNotHere } = await import('./reachable.ts');
  const refusal = await whyNotHere(address.address);
  if (refusal !== null) throw cannotReach(address.address, refusal);
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({
    ...address.connection,
    address: address.address,
    connectTimeout: seconds * 1000,
  }).catch((error: unknown) => {
    throw cannotReach(address.address, error);
  });
  // A call that is still open is not tried again on a connection that is closed, which would end the process.
  const over = new AbortController();
  // Each call listens for it until then; Node warns of an eleventh.
  setMaxListeners(0, over.signal);
  try {
    const client = new Client({ connection, namespace: address.namespace });
    return await connection.withAbortSignal(over.signal, () => use({ client, address }));
  } finally {
    over.abort();
    await connection.close();
  }
}

const cannotReach = (address: string, why: unknown): CliError =>
  new CliError('unreachable', temporalAway(address, why), { cause: why });
