import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { readLastUpFile, readUpFile, retireUpFile, type UpState } from '../../config/up-file.ts';
import { closeUmask } from '../../infra/make-open-folder.ts';
import { restrictHome } from '../../infra/restrict-home.ts';
import { registerSearchAttributes, type Registration } from '../../infra/temporal/search-attributes.ts';
import { lockHome } from './stack/lock-home.ts';
import { type Running, runStack } from './stack/running.ts';
import { startOwnPostgres, startOwnTemporal } from './stack/servers.ts';
import { manageDashboard, type DashboardManager } from './stack/manage-dashboard.ts';
import { stackAddresses, type Servers, type StackOptions } from './stack/stack-state.ts';
import { findWorkers, stopWorkers, workerProgram } from './stack/worker-processes.ts';
import { revokePublicRights } from '../../db/reader/revoke-public-rights.ts';
import { migrate } from '../../db/migrate.ts';
import { reportLockWaits } from '../../db/session/report-lock-waits.ts';
import { isFree } from '../../infra/process/free-port.ts';
import { isAlive } from '../../infra/process/identity.ts';
import { requireLoopback } from '../../infra/process/require-loopback.ts';
import type { OnEvent } from './events.ts';
import { connectTemporal } from './connect-temporal.ts';

/** A running stack. */
export interface Stack {
  /** Current addresses: a server that was restarted may have another port. */
  addresses: () => StackAddresses & { uiUrl: string | null };
  /** Port of the dashboard, once it has started; null if none runs. */
  dashboardPort: () => Promise<number | null>;
  searchAttributes: Registration;
  /** Drains the workers, then stops Temporal, then Postgres. Foreign servers and runs continue. */
  stop: () => Promise<void>;
  /** Kills the workers at once, also while `stop` waits for them. */
  killWorkers: () => Promise<void>;
}

/**
 * Starts the missing parts of a home's stack, adopts running ones, migrates the database, and restarts parts that die,
 * until `stop`. Throws StackHeldError if another process holds the home. Stops the started parts after an error.
 */
export async function startStack(given: Config, options: StackOptions): Promise<Stack> {
  const config = await ignoreOwnTemporalAddress(given, options.onEvent);
  closeUmask();
  const release = lockHome(config.home);
  restrictHome(config.home);
  // Release 0.2 reserved 256 MiB of disk with this file.
  rmSync(join(config.home, 'ballast'), { force: true });
  options.onHeld?.();
  const servers: Servers = { postgres: null, temporal: null };
  let running: Running | undefined;
  let dashboard: DashboardManager | null = null;
  const stop = async () => {
    await running?.stop();
    const { postgres, temporal } = running?.servers ?? servers;
    await temporal?.stop();
    await dashboard?.stop();
    await postgres?.stop();
    await retireUpFile(config.home);
    release();
  };
  try {
    if (config.databaseUrl === null || config.temporal.address === null) await requireLoopback();
    const before = (await readUpFile(config.home)) ?? (await readLastUpFile(config.home));
    const { onEvent, onDashboard, steer = false } = options;
    if (onDashboard) dashboard = manageDashboard(config, { before, onEvent, onDashboard, steer });
    const program = options.workers === 0 ? '' : (options.workerProgram ?? workerProgram(config));
    await startServers(config, { ...options, before, dashboard }, servers);
    const searchAttributes = await prepare(config, options, servers);
    options.signal?.throwIfAborted();
    const current = await runStack(config, servers, { ...options, workerProgram: program, dashboard });
    running = current;
    return {
      addresses: () => stackAddresses(config, current.servers),
      searchAttributes,
      stop,
      killWorkers: async () => {
        await stopWorkers(findWorkers(config.home), 0);
      },
      dashboardPort: async () => {
        await dashboard?.started();
        return dashboard?.currentProcess()?.port ?? null;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Removes a TEMPORAL_ADDRESS that names this home's own server from the configuration. A user gets it by pasting the
 * printed `export` line into the shell that starts the stack again. Conditions: the server runs there, or ran there
 * last and nothing listens now; and no other setting points to another server.
 */
export async function ignoreOwnTemporalAddress(config: Config, onEvent: OnEvent): Promise<Config> {
  const { address, namespace, connection } = config.temporal;
  if (address === null || connection.apiKey || connection.tls) return config;
  const before = (await readUpFile(config.home)) ?? (await readLastUpFile(config.home));
  if (before?.temporal.address !== address || before.temporal.namespace !== namespace) return config;
  if (!(await isOwnServer(before.temporal))) return config;
  const text = `TEMPORAL_ADDRESS (${address}) is the server of this home, so the stack starts it`;
  onEvent({ type: 'step', part: 'temporal', text });
  return { ...config, temporal: { ...config.temporal, address: null } };
}

const isOwnServer = async ({ address, embedded }: UpState['temporal']): Promise<boolean> =>
  embedded !== null && (isAlive(embedded) || (await isFree(Number(address.slice(address.lastIndexOf(':') + 1)))));

interface StartOptions extends StackOptions {
  /** State of the stack that ran here last, for its ports. */
  before: UpState | null;
  dashboard: DashboardManager | null;
}

/**
 * Starts both servers in parallel. Stores each in `servers` as soon as it runs, so that the caller can stop it if the
 * other fails. A failure aborts a download or a build of the Temporal server.
 */
async function startServers(config: Config, options: StartOptions, servers: Servers): Promise<void> {
  const { before, dashboard } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const common = { config, before, onEvent: options.onEvent, signal };
  const outcomes = await Promise.allSettled(
    [
      startOwnPostgres(common).then((postgres) => {
        servers.postgres = postgres;
        const url = postgres?.url ?? config.databaseUrl;
        // The dashboard starts now and shows the progress: a build of the Temporal server takes minutes.
        if (url !== null) dashboard?.start(url);
      }),
      startOwnTemporal({ ...common, fresh: options.freshTemporal ?? false }).then(
        (temporal) => (servers.temporal = temporal),
      ),
      // Workers of a killed parent may run old code; new workers continue their work.
      stopWorkers(findWorkers(config.home)),
    ].map((part: Promise<unknown>) =>
      part.catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Creates tables and search attributes before any worker needs them. */
async function prepare(
  config: Config,
  options: Pick<StackOptions, 'signal' | 'onEvent'>,
  servers: Servers,
): Promise<Registration> {
  options.signal?.throwIfAborted();
  const addresses = stackAddresses(config, servers);
  const onWait = (text: string): void => options.onEvent({ type: 'warning', part: 'postgres', text });
  await reportLockWaits(addresses.databaseUrl, onWait, async () => {
    await migrate(addresses.databaseUrl);
    // Only for the embedded server: programs other than Perpetua may use a foreign database.
    if (servers.postgres) await revokePublicRights(addresses.databaseUrl);
  });
  const registration = await prepareSearchAttributes(config, addresses);
  if (!registration.registered)
    options.onEvent({ type: 'warning', part: 'temporal', text: `no search attributes: ${registration.reason}` });
  return registration;
}

/** Registers the search attributes, on the embedded server or on a foreign one. */
async function prepareSearchAttributes(config: Config, addresses: StackAddresses): Promise<Registration> {
  const { client, close } = await connectTemporal(config, addresses);
  try {
    return await registerSearchAttributes(client);
  } finally {
    await close();
  }
}
