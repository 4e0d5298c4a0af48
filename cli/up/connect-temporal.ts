import { Client, Connection } from '@temporalio/client';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { clientOptions } from '../../infra/temporal/connection-options.ts';
import { connectFailure } from '../../infra/temporal/temporal-unreachable.ts';

/** Connects to the stack's Temporal. The caller closes the client after use. */
export async function connectTemporal(
  config: Config,
  { temporal }: StackAddresses,
): Promise<{ client: Client; close: () => Promise<void> }> {
  const connection = await Connection.connect(
    clientOptions({ ...temporal, connection: temporal.embedded ? {} : config.temporal.connection }, config.env),
  ).catch(async (error: unknown) => {
    if (temporal.embedded) throw error;
    const why = await connectFailure(error, { address: temporal.address, env: config.env });
    throw new Error(
      `Expected a Temporal server at TEMPORAL_ADDRESS (${temporal.address}), none answers ` +
        `(${why}). Start that server, or \`unset TEMPORAL_ADDRESS\` to start one here.`,
      { cause: error },
    );
  });
  return { client: new Client({ connection, namespace: temporal.namespace }), close: () => connection.close() };
}
