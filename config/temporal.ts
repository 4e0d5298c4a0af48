import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';

/** Address and connection options of Temporal. */
export interface TemporalConfig {
  /** host:port of an existing server; null: the embedded one. */
  address: string | null;
  namespace: string;
  /** TLS, API key and metadata, for Connection.connect and NativeConnection.connect alike. */
  connection: Omit<ClientConnectConfig['connectionOptions'], 'address'>;
}

/** Reads Temporal's own environment configuration; its file is read only if a variable requests it. */
export function loadTemporal(env: Record<string, string>, fail: (message: string) => Error): TemporalConfig {
  const address = env.TEMPORAL_ADDRESS;
  if (address !== undefined && !/^[^\s/:]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/.test(address))
    throw fail(
      `TEMPORAL_ADDRESS: expected host:port like 127.0.0.1:7233, got ${JSON.stringify(address)}. Correct or unset it.`,
    );
  const useFile = env.TEMPORAL_CONFIG_FILE !== undefined || env.TEMPORAL_PROFILE !== undefined;
  try {
    const options = { disableFile: !useFile, overrideEnvVars: env };
    const { namespace, connectionOptions } = loadClientConnectConfig(
      env.TEMPORAL_PROFILE ? { ...options, profile: env.TEMPORAL_PROFILE } : options,
    );
    const { address: found, ...connection } = connectionOptions;
    return { address: found ?? null, namespace: namespace ?? 'default', connection };
  } catch (error) {
    throw fail(
      `TEMPORAL_*: expected Temporal's environment configuration (TEMPORAL_TLS, TEMPORAL_TLS_CLIENT_CERT_PATH, …), ` +
        `got ${error instanceof Error ? error.message : String(error)}. Correct or unset it.`,
    );
  }
}
