import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import type { Sender } from '../domain/messages/sender.ts';
import { clientOptions } from '../infra/temporal/connection-options.ts';
import { nameSender } from '../infra/temporal/name-sender.ts';
import { NamespaceMissingError } from '../infra/temporal/namespace-missing.ts';
import { probeLocalAddress } from '../infra/temporal/probe-local-address.ts';
import { connectFailure, temporalUnreachableMessage } from '../infra/temporal/temporal-unreachable.ts';
import { SteeringError } from './steering-error.ts';

/** A Temporal server: host:port, namespace, TLS and keys. */
export interface Server {
  address: string;
  namespace: string;
  connection: Parameters<typeof clientOptions>[0]['connection'];
}

/** A connected client of a server. */
export interface Temporal<Address extends Server = Server> {
  client: Client;
  address: Address;
}

interface Options {
  /** Program that sends the messages. */
  sender: Sender;
  /** Environment with the variables of a proxy and of certificates. */
  env: Readonly<Record<string, string | undefined>>;
  /** Limit of the connection. */
  seconds: number;
}

/**
 * Connects to Temporal, and closes the connection afterwards. Throws SteeringError `unreachable` if no connection is
 * made in time, and NamespaceMissingError if the server lacks the namespace.
 */
export async function withClient<Address extends Server, T>(
  address: Address,
  { sender, env, seconds }: Options,
  use: (temporal: Temporal<Address>) => Promise<T>,
): Promise<T> {
  const refusal = await probeLocalAddress(address.address);
  if (refusal !== null) throw cannotReach(address.address, refusal);
  // Loaded on demand: it takes a third of a command's time, and most commands read Postgres alone.
  const { Client, Connection } = await import('./client.ts');
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
    const client = new Client({
      connection,
      namespace: address.namespace,
      interceptors: { workflow: [nameSender(sender)] },
    });
    return await connection.withAbortSignal(over.signal, () => use({ client, address }));
  } catch (error) {
    throw lacksNamespace(error) ? new NamespaceMissingError(address, { cause: error }) : error;
  } finally {
    over.abort();
    await connection.close();
  }
}

function lacksNamespace(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current.name === 'NamespaceNotFoundError') return true;
  return false;
}

const cannotReach = (address: string, why: string, cause?: unknown): SteeringError =>
  new SteeringError('unreachable', temporalUnreachableMessage(address, why), { cause });
