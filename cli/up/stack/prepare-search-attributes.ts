import type { StackAddresses } from '../../../config/child-env.ts';
import type { Config } from '../../../config/load.ts';
import { type Registration, registerSearchAttributes } from '../../../infra/temporal/search-attributes.ts';
import { connectTemporal } from '../connect-temporal.ts';

/** Registers the search attributes before any worker starts, on our own server or on one that was there. */
export async function prepareSearchAttributes(config: Config, addresses: StackAddresses): Promise<Registration> {
  const { client, close } = await connectTemporal(config, addresses);
  try {
    return await registerSearchAttributes(client);
  } finally {
    await close();
  }
}
