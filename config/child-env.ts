import { childNodeOptions } from './child-node-options.ts';
import type { Config } from './load.ts';

/** Addresses of a stack's servers; `embedded` servers need no TLS and no key. */
export interface StackAddresses {
  databaseUrl: string;
  temporal: { address: string; namespace: string; embedded: boolean };
}

/** Environment of a worker that belongs to a stack: this process's, with home and addresses made explicit. */
export function workerEnv(config: Config, { databaseUrl, temporal }: StackAddresses): Record<string, string> {
  // An API key or TLS in the environment is meant for another server than the embedded one.
  const foreign = temporal.embedded ? /^TEMPORAL_(API_KEY|TLS|CONFIG_FILE|PROFILE|GRPC_META)/ : /^$/;
  const env = Object.fromEntries(Object.entries(inherited(config)).filter(([name]) => !foreign.test(name)));
  // An empty value, which hides all GPUs, stays empty.
  if (config.visibleGpus !== null) env.CUDA_VISIBLE_DEVICES = config.visibleGpus;
  return {
    ...env,
    PERPETUA_HOME: config.home,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
  };
}

/**
 * Environment of a dashboard, without keys: the addresses that it reads from are in its settings. An embedded Temporal
 * server is in up.json; an own one is passed on if it needs no key, or with its keys to a page that may `steer`.
 */
export const dashboardEnv = (config: Config, steer: boolean): Record<string, string> => ({
  ...toolEnv(config),
  ...(steer && config.temporal.address !== null ? temporalEnv(config) : openTemporal(config)),
  PERPETUA_HOME: config.home,
});

const temporalEnv = (config: Config): Record<string, string> =>
  Object.fromEntries(Object.entries(inherited(config)).filter(([name]) => name.startsWith('TEMPORAL_')));

/** Address and namespace of an own Temporal server without TLS and keys; else none. */
function openTemporal({ temporal: { address, namespace, connection } }: Config): Record<string, string> {
  if (address === null || Object.values(connection).some((given) => given !== undefined)) return {};
  return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
}

/** Environment that servers and tools need to run and to reach the network, without Perpetua's keys. */
export function toolEnv(config: Config): Record<string, string> {
  const secret =
    /^(OPENAI_|ANTHROPIC_|GOOGLE_GEMINI_|GEMINI_|PERPETUA_|TEMPORAL_|DATABASE_URL$|PG)|(_KEY|_TOKEN|_SECRET|PASSWORD)$/;
  const chat = /SLACK|DISCORD|WEBHOOK/;
  return Object.fromEntries(
    Object.entries(inherited(config)).filter(([name]) => !secret.test(name) && !chat.test(name)),
  );
}

/** Environment of this process, with options of Node that a child can start with. */
function inherited({ env }: Config): Record<string, string> {
  const { NODE_OPTIONS, ...others } = env;
  if (NODE_OPTIONS === undefined) return others;
  const options = childNodeOptions(NODE_OPTIONS, process.cwd());
  return options === '' ? others : { ...others, NODE_OPTIONS: options };
}
