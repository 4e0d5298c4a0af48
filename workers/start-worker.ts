import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { hasModel } from '../config/has-model.ts';
import type { Config } from '../config/load.ts';
import { resolveAddresses } from '../config/resolve.ts';
import { connect } from '../db/connect.ts';
import { listen } from '../db/listen.ts';
import { migrate } from '../db/migrate.ts';
import { reportLockWaits } from '../db/session/report-lock-waits.ts';
import { FLEET_CHANNEL } from '../db/host/fleet.ts';
import { declareSlots, SLOTS_CHANNEL } from '../db/slot/slots.ts';
import { findInstallation } from '../db/research/research.ts';
import { createStore } from '../db/store.ts';
import type { Compute } from '../infra/compute.ts';
import { GPU_POOL } from '../domain/fleet/own-gpus.ts';
import { AGENT_POOL } from '../domain/agent/agent-pool.ts';
import { QUEUES } from '../domain/messages/names.ts';
import { computeOfHost } from '../infra/compute/compute-of-host.ts';
import { createLocalCompute, type LocalOptions } from '../infra/compute/local.ts';
import { closeUmask, makeOpenFolder } from '../infra/make-open-folder.ts';
import { restrictHome } from '../infra/restrict-home.ts';
import { clientOptions, workerOptions } from '../infra/temporal/connection-options.ts';
import { NamespaceMissingError, NOT_FOUND } from '../infra/temporal/namespace-missing.ts';
import { connectFailure, temporalUnreachableMessage } from '../infra/temporal/temporal-unreachable.ts';
import { registerSearchAttributes } from '../infra/temporal/search-attributes.ts';
import { raiseFloor } from './floor/raise-floor.ts';
import { waitForOlderWorkers } from './floor/wait-for-older-workers.ts';
import { taskName } from './floor/note-restarts.ts';
import { createFleetHosts } from './fleet/hosts.ts';
import { lendOwnGpus } from './fleet/own-gpus.ts';
import { createFleetPools } from './fleet/pools.ts';
import { serveFleet } from './fleet/serve.ts';
import { createDeps } from './deps.ts';
import { keptProposers, TemporalAwayError } from './describe-start.ts';
import { holderName } from './holder.ts';
import { hostName } from './host-name.ts';
import { createKillPoint } from './kill-point.ts';
import { installRuntime } from './logger.ts';
import { createPermits, type Permits } from './queues/permits.ts';
import { createWorker, createWorkers, fleetOptions } from './queues.ts';
import { startInstallation } from './start-installation.ts';
import { removeOldCalls } from './remove-old-calls.ts';

const POOL = 'local';
/** Queues whose pollers must all know this version's tables and workflows. */
const OWN_QUEUES = [
  QUEUES.main,
  QUEUES.trial,
  QUEUES.propose,
  QUEUES.update,
  QUEUES.monitor,
  QUEUES.score,
  QUEUES.fleet(POOL),
  QUEUES.fleet(AGENT_POOL),
];
/** Signals that stop a worker. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR2'] as const;

/** True for a pool that this worker serves: any, or one whose queue is named. */
const servesPool =
  (queues: string[] | null) =>
  (pool: string): boolean =>
    queues === null || queues.includes(QUEUES.fleet(pool));

export interface WorkerSettings {
  config: Config;
  /** Names of queues; null for all. */
  queues: string[] | null;
  /** Adapter in place of this machine's, for benches. */
  createCompute?: (from: LocalOptions & { host: string }) => Compute;
}

export interface RunningWorker {
  holder: string;
  queues: string[];
  /** Resolves when the worker has stopped. */
  stopped: Promise<void>;
  /** Lets short activities finish, and detaches from runs. */
  stop: () => void;
}

/**
 * Starts a worker process for every queue, or for the named ones. A signal stops it; a signal during the start stops it
 * as soon as it runs.
 */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const stopRequest = new AbortController();
  const requestStop = (): void => stopRequest.abort();
  const removeListeners = (): void => SIGNALS.forEach((signal) => process.off(signal, requestStop));
  // The SDK handles these signals, too, but it does not stop the fleet, and nothing else ends a worker of fleet queues
  // alone. The listeners come before the SDK's runtime, after which no signal ends the process by itself.
  for (const signal of SIGNALS) process.once(signal, requestStop);
  try {
    const worker = await start(settings, stopRequest.signal);
    stopRequest.signal.addEventListener('abort', worker.stop, { once: true });
    if (stopRequest.signal.aborted) worker.stop();
    return { ...worker, stopped: worker.stopped.finally(removeListeners) };
  } catch (error) {
    removeListeners();
    throw error;
  }
}

async function start(
  { config, queues, createCompute = createLocalCompute }: WorkerSettings,
  signal: AbortSignal,
): Promise<RunningWorker> {
  const { logger } = installRuntime(config);
  const addresses = await resolveAddresses(config);
  const target = addresses.temporal;
  const { address, namespace } = target;
  closeUmask();
  makeOpenFolder(config.home, 0o711);
  restrictHome(config.home);
  const warn = (line: string): void => void logger.warn(line);
  const log = (error: unknown): void => void logger.warn('database', { error });
  const unreachable = async (error: unknown): Promise<never> => {
    const why = await connectFailure(error, { address, env: config.env });
    throw new TemporalAwayError(temporalUnreachableMessage(address, why), { cause: error });
  };
  const native = await NativeConnection.connect(workerOptions(target, config.env)).catch(unreachable);
  const clientConnection = await Connection.connect(clientOptions(target, config.env)).catch(unreachable);
  const client = new Client({ connection: clientConnection, namespace });
  const database = connect(addresses.databaseUrl, { max: 16, onError: log });
  const store = createStore(database.db);
  await waitForOlderWorkers({ client, store, queues: OWN_QUEUES, warn, signal }).catch((error: unknown) => {
    // A task queue is always found, so only the namespace can be missing.
    if (isGrpcServiceError(error) && Number(error.code) === NOT_FOUND)
      throw new NamespaceMissingError({ address, namespace }, { cause: error });
    throw error;
  });
  const reportingWaits = <R>(work: () => Promise<R>): Promise<R> => reportLockWaits(addresses.databaseUrl, warn, work);
  await reportingWaits(() => migrate(addresses.databaseUrl));
  const { id: installation, secret } = await findInstallation(database.db);
  const { home, visibleGpus, gpuOrder } = config;
  const compute = createCompute({ home, installation, host: await hostName(home), visibleGpus, gpuOrder });
  const slots = Array.from({ length: config.slots }, (_, index) => ({
    id: `${compute.host}/${POOL}/${index}`,
    pool: POOL,
    host: compute.host,
    index,
    gpu: null,
  }));
  const places = Array.from({ length: config.agentPlaces }, (_, index) => ({
    id: `${compute.host}/${AGENT_POOL}/${index}`,
    pool: AGENT_POOL,
    host: compute.host,
    index: config.slots + index,
    gpu: null,
  }));
  await reportingWaits(async () => {
    await declareSlots(database.db, servesPool(queues)(AGENT_POOL) ? [...slots, ...places] : slots, {
      host: compute.host,
      // Another worker of this machine may serve them.
      keep: places.map(({ id }) => id),
    });
    if (servesPool(queues)(GPU_POOL)) await lendOwnGpus(database.db, { config, home: compute.host });
  });

  const reach = createKillPoint(config.killFile);
  const holder = holderName();
  const ownPermits = (pool: string): Permits =>
    createPermits({
      store,
      pool,
      host: compute.host,
      holder,
      onError: log,
      offered: () => reach('permit-offered'),
    });
  const [permits, agentPermits] = [ownPermits(POOL), ownPermits(AGENT_POOL)];
  const hosts = createFleetHosts({
    store,
    machineName: compute.host,
    create: (spec) =>
      computeOfHost(spec, {
        installation,
        sshAgent: config.sshAgent,
        aliveSeconds: config.aliveSeconds,
        ownHome: { home: compute.host, env: config.env },
      }),
    hidden: [config.home, config.packageRoot],
  });
  const pools = createFleetPools({
    createPermits: (pool) =>
      createPermits({
        store,
        pool,
        own: compute.host,
        holder,
        onError: log,
        offered: () => reach('permit-offered'),
      }),
    createWorker: (pool, permits) =>
      createWorker({ connection: native, namespace, deps }, fleetOptions(pool, { deps, permits })),
    onError: log,
  });
  const slotListener = listen(addresses.databaseUrl, SLOTS_CHANNEL, (pool) => {
    permits.wake();
    agentPermits.wake();
    pools.wake(pool);
  });
  const deps = createDeps({
    config,
    store,
    client,
    compute,
    secret,
    pool: POOL,
    hosts,
    searchAttributes: await registerSearchAttributes(client),
    takeOffer: (pool) => {
      if (pool === POOL) return permits.takeOffer();
      return pool === AGENT_POOL ? agentPermits.takeOffer() : pools.takeOffer(pool);
    },
    reach,
    warn,
  });
  // Warns only if a model is configured. The warning is optional: a failed read does not stop the start.
  if (hasModel(config)) for (const line of await keptProposers(database.db).catch(() => [])) logger.warn(line);
  if (queues === null || queues.some((name) => name === QUEUES.main || name === QUEUES.trial))
    await reportingWaits(() =>
      raiseFloor({
        client,
        store,
        databaseUrl: addresses.databaseUrl,
        reach,
        nameOf: (task) => taskName(task, config),
        warn,
      }),
    );
  if (queues === null || queues.includes(QUEUES.main)) await startInstallation(client);
  await reportingWaits(() => store.trial.repairJobs());
  const workers = await createWorkers({
    connection: native,
    namespace,
    deps,
    permits,
    agentPermits,
    slots: config.slots,
    queues,
    pool: POOL,
  });
  // The hosts must be read before any activity needs one.
  await hosts.refresh();
  const fleet = serveFleet({ store, hosts, pools, serves: servesPool(queues), onError: log, reach });
  const fleetListener = listen(addresses.databaseUrl, FLEET_CHANNEL, fleet.hurry);
  const endRemoval = removeOldCalls({ store, days: config.callDays, onError: log });
  const stop = (): void => {
    void fleet.stop().catch(log);
    workers.filter((worker) => worker.getState() === 'RUNNING').forEach((worker) => worker.shutdown());
  };
  const run = async (): Promise<void> => {
    try {
      // If one worker fails, the others stop before their connections are closed.
      const running = workers.map((worker) => worker.run());
      running.forEach((one) => void one.catch(stop));
      const failed = (await Promise.allSettled(running)).find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      if (running.length === 0) await fleet.stopped;
    } finally {
      await fleet.stop();
      await endRemoval();
      await Promise.all([permits.close(), agentPermits.close()]);
      await Promise.all([slotListener.close(), fleetListener.close(), fleet.close()]);
      await native.close();
      await clientConnection.close();
      await database.close();
    }
  };
  return {
    holder,
    queues: [...new Set([...workers.map((worker) => worker.options.taskQueue), ...(queues ?? [])])],
    stopped: run(),
    stop,
  };
}
