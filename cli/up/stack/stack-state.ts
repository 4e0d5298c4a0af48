import type { StackAddresses } from '../../../config/child-env.ts';
import type { Config } from '../../../config/load.ts';
import type { UpState } from '../../../config/up-file.ts';
import type { EmbeddedPostgres } from '../../../infra/postgres/embedded.ts';
import { identify, type ProcessIdentity } from '../../../infra/process/identity.ts';
import type { TemporalServer } from '../../../infra/temporal/server.ts';
import type { OnEvent } from '../events.ts';

export interface StackOptions {
  onEvent: OnEvent;
  /** Called once this process holds the home's lock. */
  onHeld?: () => void;
  /** Aborts the start, which stops the started parts and fails. */
  signal?: AbortSignal;
  /** Moves Temporal's database file away first. */
  freshTemporal?: boolean;
  /** Number of worker processes; 0: servers alone. Default 1. */
  workers?: number;
  /** Called when the dashboard listens for the first time. Absent: no dashboard runs. */
  onDashboard?: () => void;
  /** True: the dashboard's page may send messages to researches. */
  steer?: boolean;
  /** Path of the worker's built program; default dist/worker-bundle.js. */
  workerProgram?: string;
}

/** Servers of this home; null if the environment names another server. */
export interface Servers {
  postgres: EmbeddedPostgres | null;
  temporal: TemporalServer | null;
}

/** Addresses of the servers, of this home or of the environment. Throws if one is neither started nor named. */
export function stackAddresses(config: Config, servers: Servers): StackAddresses & { uiUrl: string | null } {
  const databaseUrl = servers.postgres?.url ?? config.databaseUrl;
  const address = servers.temporal?.address ?? config.temporal.address;
  if (databaseUrl === null || address === null)
    throw new Error('Expected Postgres and Temporal to be started or named by the environment, one is neither.');
  const { namespace } = config.temporal;
  const uiUrl = servers.temporal?.uiUrl ?? null;
  return { databaseUrl, temporal: { address, namespace, embedded: servers.temporal !== null }, uiUrl };
}

/** State of the stack for up.json. */
export function upStateOf(
  config: Config,
  servers: Servers,
  { workers = [], dashboard = null }: { workers?: ProcessIdentity[]; dashboard?: UpState['dashboard'] } = {},
): UpState {
  const { postgres, temporal } = servers;
  const { databaseUrl, temporal: temporalAddress, uiUrl } = stackAddresses(config, servers);
  return {
    version: 1,
    owner: identify(process.pid) ?? { pid: process.pid, startedAt: 'unknown' },
    writtenAt: new Date().toISOString(),
    temporal: {
      address: temporalAddress.address,
      namespace: temporalAddress.namespace,
      uiUrl,
      embedded: temporal && { ...temporal.process, cli: temporal.version.cli, serverVersion: temporal.version.server },
    },
    postgres: {
      url: databaseUrl,
      embedded: postgres && { ...postgres.process, dataDir: postgres.dataDir, serverVersion: postgres.version },
    },
    workers: workers.map((worker, index) => ({ ...worker, name: `worker ${index + 1}` })),
    dashboard,
  };
}
