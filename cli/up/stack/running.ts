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

/** A stack that is looked after. */
export interface Running {
  /** As they are now: after a crash a server is another process. */
  servers: Readonly<Servers>;
  /** Stops the workers and looks away; the servers go on. */
  stop: () => Promise<void>;
}

/** Starts the workers, keeps up.json true, and starts again whatever dies. */
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
  const saveOrTell = (): void => {
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
        // Each event of a guard may mean another process.
        if (event.type === 'ready') saveOrTell();
      },
    });

  dashboard?.onChange(saveOrTell);
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
      // The servers' guards last: a worker needs both servers to drain.
      await Promise.all(guards.map((one) => one.stop()));
    },
  };
}

interface Watched {
  config: Config;
  /** Kept up to date. */
  servers: Servers;
  logs: ReturnType<typeof logFiles>;
  watch: (part: Omit<Guarded, 'tail' | 'onEvent'>, log: string) => ReturnType<typeof guard>;
  /** A server came back elsewhere; the workers must start anew to hear of it. */
  onMoved: () => Promise<unknown>;
}

async function requireData(dir: string): Promise<void> {
  if (dataOwner(dir) === null) throw new Error(`Expected the database in ${dir}/data, it is gone. Bring it back.`);
}

function watchServers({ config, servers, logs, watch, onMoved }: Watched): ReturnType<typeof guard>[] {
  const guards: ReturnType<typeof guard>[] = [];
  /** What ran before gives the ports; its own lines were told at the start. */
  const again = () => ({ config, before: upStateOf(config, servers), onEvent: () => {} });
  async function restart(name: 'postgres' | 'temporal') {
    const before = stackAddresses(config, servers);
    const options = again();
    // A new database in the middle of everything would look as if nothing had ever run.
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
