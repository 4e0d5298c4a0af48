import type { Client } from '@temporalio/client';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';

/** A client of the stack's Temporal; close it after use. */
export async function connectTemporal(
  config: Config,
  { temporal }: StackAddresses,
): Promise<{ client: Client; close: () => Promise<void> }> {
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({
    ...(temporal.embedded ? {} : config.temporal.connection),
    address: temporal.address,
  });
  return { client: new Client({ connection, namespace: temporal.namespace }), close: () => connection.close() };
}
