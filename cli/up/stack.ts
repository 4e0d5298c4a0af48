import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { readLastUpFile, readUpFile, retireUpFile, type UpState } from '../../config/up-file.ts';
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
import { isFree } from '../../infra/process/free-port.ts';
import { isAlive } from '../../infra/process/identity.ts';
import type { OnEvent } from './events.ts';
import { connectTemporal } from './connect-temporal.ts';

/** A running stack. */
export interface Stack {
  /** As they are now: a server that came back may have moved. */
  addresses: () => StackAddresses & { uiUrl: string | null };
  /** Port of the dashboard, once it has started; null where none runs. */
  dashboardPort: () => Promise<number | null>;
  searchAttributes: Registration;
  /** Workers drain, then Temporal, then Postgres. What was not started here goes on, and so do runs. */
  stop: () => Promise<void>;
  /** Kills the workers at once, also while `stop` waits for them. */
  killWorkers: () => Promise<void>;
}

/**
 * Starts what this home lacks and takes over what still runs in it, migrates, and looks after it all until `stop`.
 * Throws StackHeldError where another process holds the home; what was started before an error is stopped again.
 */
export async function startStack(given: Config, options: StackOptions): Promise<Stack> {
  const config = await ignoreOwnTemporalAddress(given, options.onEvent);
  const release = lockHome(config.home);
  restrictHome(config.home);
  // Version 0.2 kept 256 MiB in it.
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
    const before = (await readUpFile(config.home)) ?? (await readLastUpFile(config.home));
    const { onEvent, onDashboard } = options;
    if (onDashboard) dashboard = manageDashboard(config, { before, onEvent, onDashboard });
    const program = options.workers === 0 ? '' : (options.workerProgram ?? workerProgram(config));
    await startServers(config, { ...options, before, dashboard }, servers);
    const searchAttributes = await prepare(config, options, servers);
    options.signal?.throwIfAborted();
    const current = await runStack(config, servers, { ...options, workerProgram: program, dashboard });
    running = current;
    const hurry = async () => void (await stopWorkers(findWorkers(config.home), 0));
    return {
      addresses: () => stackAddresses(config, current.servers),
      searchAttributes,
      stop,
      killWorkers: hurry,
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
 * The configuration without a TEMPORAL_ADDRESS that is this home's own server: the line to steer by, which we print, was
 * pasted into the shell that starts us again. It is so where our server lives there, or was there last and nothing else
 * listens now, and nothing else says that another one is meant.
 */
export async function ignoreOwnTemporalAddress(config: Config, onEvent: OnEvent): Promise<Config> {
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

interface Starting extends StackOptions {
  /** What ran here last, for its ports. */
  before: UpState | null;
  dashboard: DashboardManager | null;
}

/**
 * Both at once; each is noted as soon as it runs, so that a failure of the other stops it. A download or a build of minutes
 * is given up where it is of no use any more.
 */
async function startServers(config: Config, options: Starting, servers: Servers): Promise<void> {
  const { before, dashboard } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const common = { config, before, onEvent: options.onEvent, signal };
  const outcomes = await Promise.allSettled(
    [
      startOwnPostgres(common).then((postgres) => {
        servers.postgres = postgres;
        const url = postgres?.url ?? config.databaseUrl;
        // Long before Temporal, which may be built first: a person can look on.
        if (url !== null) dashboard?.start(url);
      }),
      startOwnTemporal({ ...common, fresh: options.freshTemporal ?? false }).then(
        (temporal) => (servers.temporal = temporal),
      ),
      // Those of a killed parent may run old code: new ones pick up where they are.
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

/** Of a database of our own: another's may be used by more than Perpetua. */
async function closeToOthers(databaseUrl: string): Promise<void> {
  await revokePublicRights(databaseUrl);
}

/** Tables and search attributes, before any worker needs them. */
async function prepare(
  config: Config,
  options: Pick<StackOptions, 'signal' | 'onEvent'>,
  servers: Servers,
): Promise<Registration> {
  options.signal?.throwIfAborted();
  const addresses = stackAddresses(config, servers);
  await migrate(addresses.databaseUrl);
  if (servers.postgres) await closeToOthers(addresses.databaseUrl);
  const registration = await prepareSearchAttributes(config, addresses);
  if (!registration.registered)
    options.onEvent({ type: 'warning', part: 'temporal', text: `no search attributes: ${registration.reason}` });
  return registration;
}

/** Registers the search attributes before any worker starts, on our own server or on one that was there. */
async function prepareSearchAttributes(config: Config, addresses: StackAddresses): Promise<Registration> {
  const { client, close } = await connectTemporal(config, addresses);
  try {
    return await registerSearchAttributes(client);
  } finally {
    await close();
  }
}
