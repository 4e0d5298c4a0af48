import type { Config } from '../../config/load.ts';
import { readLastUpFile, readUpFile } from '../../config/up-file.ts';
import { isFree } from '../../infra/process/free-port.ts';

/**
 * The configuration without a TEMPORAL_ADDRESS that is this home's own server: the line to steer by, which we print, was
 * pasted into the shell that starts us again. Nothing else may listen there.
 */
export async function withoutOwnAddress(config: Config): Promise<Config> {
  const { address } = config.temporal;
  if (address === null) return config;
  const runs = await readUpFile(config.home);
  const { temporal } = runs ?? (await readLastUpFile(config.home)) ?? { temporal: null };
  if (!temporal?.embedded || temporal.address !== address) return config;
  const own = runs !== null || (await isFree(Number(address.slice(address.lastIndexOf(':') + 1))));
  return own ? { ...config, temporal: { ...config.temporal, address: null } } : config;
}
