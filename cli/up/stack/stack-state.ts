import type { StackAddresses } from '../../../config/child-env.ts';
import type { Config } from '../../../config/load.ts';
import type { UpState } from '../../../config/up-file.ts';
import type { EmbeddedPostgres } from '../../../infra/postgres/embedded.ts';
import { identify, type ProcessIdentity } from '../../../infra/process/identity.ts';
import type { TemporalServer } from '../../../infra/temporal/server.ts';
import type { OnEvent } from '../events.ts';

export interface StackOptions {
  onEvent: OnEvent;
  /** Called once no other stack has this home. */
  onHeld?: () => void;
  /** Aborted: what was started so far is stopped, and the start fails. */
  signal?: AbortSignal;
  /** Moves Temporal's database file away first. */
  freshTemporal?: boolean;
  /** Worker processes; 0 for servers alone. Default 1. */
  workers?: number;
  /** A dashboard runs beside it; called when it listens for the first time. Left out: none does. */
  onDashboard?: () => void;
  /** The worker's built program; default dist/worker-bundle.js. */
  workerProgram?: string;
}

/** Servers of our own; null where the environment names another. */
export interface Servers {
  postgres: EmbeddedPostgres | null;
  temporal: TemporalServer | null;
}

/** Where the parts are, ours or the environment's. */
export function stackAddresses(config: Config, servers: Servers): StackAddresses & { uiUrl: string | null } {
  const databaseUrl = servers.postgres?.url ?? config.databaseUrl;
  const address = servers.temporal?.address ?? config.temporal.address;
  if (databaseUrl === null || address === null)
    throw new Error('Expected Postgres and Temporal to be started or named by the environment, one is neither.');
  const { namespace } = config.temporal;
  const uiUrl = servers.temporal?.uiUrl ?? null;
  return { databaseUrl, temporal: { address, namespace, embedded: servers.temporal !== null }, uiUrl };
}

/** The stack as up.json tells it. */
export function upStateOf(
  config: Config,
  servers: Servers,
  { workers = [], dashboard = null }: { workers?: ProcessIdentity[]; dashboard?: UpState['dashboard'] } = {},
): UpState {
  const { postgres, temporal } = servers;
  const { databaseUrl, temporal: at, uiUrl } = stackAddresses(config, servers);
  return {
    version: 1,
    owner: identify(process.pid) ?? { pid: process.pid, startedAt: 'unknown' },
    writtenAt: new Date().toISOString(),
    temporal: {
      address: at.address,
      namespace: at.namespace,
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
