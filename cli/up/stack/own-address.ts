import type { Config } from '../../../config/load.ts';
import { readLastUpFile, readUpFile, type UpState } from '../../../config/up-file.ts';
import { isFree } from '../../../infra/process/free-port.ts';
import { isAlive } from '../../../infra/process/identity.ts';
import type { OnEvent } from '../events.ts';

/**
 * The configuration without a TEMPORAL_ADDRESS that is this home's own server: the line to steer by, which we print, was
 * pasted into the shell that starts us again. It is so where our server lives there, or was there last and nothing else
 * listens now, and nothing else says that another one is meant.
 */
export async function withoutOwnAddress(config: Config, onEvent: OnEvent): Promise<Config> {
  const { address, namespace, connection } = config.temporal;
  if (address === null || connection.apiKey || connection.tls) return config;
  const runs = await readUpFile(config.home);
  const before = runs ?? (await readLastUpFile(config.home));
  if (before?.temporal.address !== address || before.temporal.namespace !== namespace) return config;
  if (!(await isOurs(before.temporal))) return config;
  const text = `TEMPORAL_ADDRESS (${address}) is this home's own server: it is started here`;
  onEvent({ type: 'step', part: 'temporal', text });
  return { ...config, temporal: { ...config.temporal, address: null } };
}

const isOurs = async ({ address, embedded }: UpState['temporal']): Promise<boolean> =>
  embedded !== null && (isAlive(embedded) || (await isFree(Number(address.slice(address.lastIndexOf(':') + 1)))));
