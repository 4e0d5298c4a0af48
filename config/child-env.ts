import type { Config } from './load.ts';

/** Where the servers of a stack are; `embedded` ones need no TLS and no key. */
export interface StackAddresses {
  databaseUrl: string;
  temporal: { address: string; namespace: string; embedded: boolean };
}

/** The environment of a worker that belongs to a stack: ours, with home and addresses made explicit. */
export function workerEnv(config: Config, { databaseUrl, temporal }: StackAddresses): Record<string, string> {
  // An API key or TLS in the environment is meant for another server than the embedded one.
  const foreign = temporal.embedded ? /^TEMPORAL_(API_KEY|TLS|CONFIG_FILE|PROFILE|GRPC_META)/ : /^$/;
  return {
    ...Object.fromEntries(Object.entries(config.env).filter(([name]) => !foreign.test(name))),
    // An empty one, which hides all GPUs, stays one.
    ...(config.visibleGpus === null ? {} : { CUDA_VISIBLE_DEVICES: config.visibleGpus }),
    PERPETUA_HOME: config.home,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
  };
}

/** The environment of a dashboard: what it is to read is in its settings, and no key is among it. */
export const dashboardEnv = (config: Config): Record<string, string> => ({
  ...toolEnv(config),
  PERPETUA_HOME: config.home,
});

/** What servers and tools need to run and to reach the network; no key of ours is among it. */
export function toolEnv(config: Config): Record<string, string> {
  const secret = /^(OPENAI_|PERPETUA_|TEMPORAL_|DATABASE_URL$|PG)|(_KEY|_TOKEN|_SECRET|PASSWORD)$/;
  return Object.fromEntries(Object.entries(config.env).filter(([name]) => !secret.test(name)));
}
