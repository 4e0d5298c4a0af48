import type { Config } from '../../../config/load.ts';
import { homePaths } from '../../../config/paths.ts';
import { writeUpFile } from '../../../config/up-file.ts';
import { logTail, rotateLiveLog } from '../../../infra/process/log-file.ts';
import { guard, type Guarded } from './guard.ts';
import { logFiles, startOwnPostgres, startOwnTemporal } from './servers.ts';
import { stackAddresses, type Servers, type StackOptions, upStateOf } from './stack-state.ts';
import type { DashboardManager } from './manage-dashboard.ts';
import { startWorker, stopWorkers } from './worker-processes.ts';
import { dataOwner } from '../../../infra/postgres/data-folder.ts';

const ROTATE_EVERY_MS = 60_000;

/** A running stack whose processes are restarted when they die. */
export interface Running {
  /** Current servers: after a crash a server is another process. */
  servers: Readonly<Servers>;
  /** Stops the workers and all guards; the servers continue. */
  stop: () => Promise<void>;
}

/** Starts the workers, keeps up.json current, and restarts every process that dies. */
export async function runStack(
  config: Config,
  started: Servers,
  options: StackOptions & { workerProgram: string; dashboard: DashboardManager | null },
): Promise<Running> {
  const servers = { ...started };
  const logs = logFiles(config.home);
  const { onEvent, dashboard } = options;
  const workers: ReturnType<typeof guard>[] = [];
  const current = () => workers.map((worker) => worker.current());
  const save = () =>
    writeUpFile(
      config.home,
      upStateOf(config, servers, { workers: current(), dashboard: dashboard?.currentProcess() }),
    );
  const saveOrWarn = (): void => {
    try {
      save();
    } catch (error) {
      onEvent({ type: 'warning', part: 'stack', text: (error as Error).message });
    }
  };
  const watch = (part: Omit<Guarded, 'tail' | 'onEvent'>, log: string) =>
    guard({
      ...part,
      tail: () => logTail(log, 5),
      onEvent: (event) => {
        onEvent(event);
        // A guard reports `ready` for each new process.
        if (event.type === 'ready') saveOrWarn();
      },
    });

  dashboard?.onChange(saveOrWarn);
  save(); // before the workers start, so that every command finds the servers
  const restartWorker = () =>
    startWorker(config, {
      program: options.workerProgram,
      addresses: stackAddresses(config, servers),
      logFile: logs.worker,
    });
  for (let n = 1; n <= (options.workers ?? 1); n++) {
    const process = await restartWorker();
    workers.push(watch({ part: 'worker', name: `worker ${n}`, process, restart: restartWorker }, logs.worker));
  }
  save();
  onEvent({
    type: 'ready',
    part: 'worker',
    text: `${workers.length} worker process(es) started, log in ${logs.worker}`,
  });

  const onMoved = async () => {
    dashboard?.databaseMoved(stackAddresses(config, servers).databaseUrl);
    await stopWorkers(current());
  };
  const guards = watchServers({ config, servers, logs, watch, onMoved });
  const rotation = setInterval(() => Object.values(logs).forEach((log) => rotateLiveLog(log)), ROTATE_EVERY_MS);
  return {
    servers,
    stop: async () => {
      clearInterval(rotation);
      await Promise.all(workers.map((worker) => worker.stop()));
      await stopWorkers(current());
      // The guards of the servers stop last: a worker needs both servers to drain.
      await Promise.all(guards.map((serverGuard) => serverGuard.stop()));
    },
  };
}

interface WatchOptions {
  config: Config;
  /** Updated after each restart. */
  servers: Servers;
  logs: ReturnType<typeof logFiles>;
  watch: (part: Omit<Guarded, 'tail' | 'onEvent'>, log: string) => ReturnType<typeof guard>;
  /** Called if a server has another address after a restart: the workers read addresses only at their start. */
  onMoved: () => Promise<unknown>;
}

async function requireData(dir: string): Promise<void> {
  if (dataOwner(dir) === null) throw new Error(`Expected the database in ${dir}/data, it is gone. Restore it.`);
}

function watchServers({ config, servers, logs, watch, onMoved }: WatchOptions): ReturnType<typeof guard>[] {
  const guards: ReturnType<typeof guard>[] = [];
  /** Options of a restart: the previous ports, and no events, since the guard reports the restart. */
  const restartOptions = () => ({ config, before: upStateOf(config, servers), onEvent: () => {} });
  async function restart(name: 'postgres' | 'temporal') {
    const before = stackAddresses(config, servers);
    const options = restartOptions();
    // Without its data, Postgres would start with a new database, and all researches would seem to be gone.
    if (name === 'postgres') await requireData(homePaths(config.home).postgres);
    const next =
      name === 'postgres' ? await startOwnPostgres(options) : await startOwnTemporal({ ...options, fresh: false });
    if (!next) throw new Error('Expected a server of our own, the environment names another.');
    Object.assign(servers, { [name]: next });
    const after = stackAddresses(config, servers);
    if (after.databaseUrl !== before.databaseUrl || after.temporal.address !== before.temporal.address) await onMoved();
    return next.process;
  }
  const { postgres, temporal } = servers;
  if (postgres)
    guards.push(
      watch(
        { part: 'postgres', name: 'Postgres', process: postgres.process, restart: () => restart('postgres') },
        logs.postgres,
      ),
    );
  if (temporal)
    guards.push(
      watch(
        {
          part: 'temporal',
          name: 'the Temporal server',
          process: temporal.process,
          restart: () => restart('temporal'),
        },
        logs.temporal,
      ),
    );
  return guards;
}
