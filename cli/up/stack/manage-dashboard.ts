import { readSettings, writeSettings } from '../../../config/dashboard/settings.ts';
import type { Config } from '../../../config/load.ts';
import type { UpState } from '../../../config/up-file.ts';
import { freePort } from '../../../infra/process/free-port.ts';
import { logTail } from '../../../infra/process/log-file.ts';
import { stopProcess } from '../../../infra/process/stop.ts';
import { syncSettings, type SettingsSync } from '../../dashboard/sync-settings.ts';
import { GRACE_MS, startDashboard, stopDashboards } from '../../dashboard/process.ts';
import type { OnEvent } from '../events.ts';
import { guard } from './guard.ts';
import { logFiles, USUAL_PORTS } from './servers.ts';

type DashboardProcess = NonNullable<UpState['dashboard']>;

export interface DashboardManager {
  /** Starts the dashboard in the background. A failure is reported, and has no other effect. */
  start: (databaseUrl: string) => void;
  /** Resolves when the dashboard has started, or its start has failed. */
  started: () => Promise<void>;
  /** Sets the new address after a restart of Postgres. */
  databaseMoved: (databaseUrl: string) => void;
  /** Returns the dashboard's process; null if none runs. */
  currentProcess: () => DashboardProcess | null;
  /** Sets the callback for each new process of the dashboard. */
  onChange: (callback: () => void) => void;
  stop: () => Promise<void>;
}

interface DashboardInput {
  before: UpState | null;
  onEvent: OnEvent;
  onDashboard: () => void;
  /** True: the page may send messages to researches. Default: false. */
  steer?: boolean;
}

/** Runs the dashboard of a home until `stop` and restarts it if it dies. No other part of the stack depends on it. */
export function manageDashboard(
  config: Config,
  { before, onEvent, onDashboard, steer = false }: DashboardInput,
): DashboardManager {
  const { home } = config;
  const log = logFiles(home).dashboard;
  const end = new AbortController();
  const report = (type: 'step' | 'ready' | 'warning', text: string) => onEvent({ type, part: 'dashboard', text });
  /** Address of the database with its owner's rights. */
  let ownerUrl = '';
  const sync: SettingsSync = syncSettings(home, () => ownerUrl);
  let current: DashboardProcess | null = null;
  let guarded: ReturnType<typeof guard> | null = null;
  let starting = Promise.resolve();
  let notifyChange: () => void = () => undefined;

  async function startAt(port: number): Promise<DashboardProcess> {
    writeSettings(home, { ...readSettings(home), port: await freePort(port) });
    current = await startDashboard(config, { logFile: log, signal: end.signal });
    return current;
  }
  async function startFirst(databaseUrl: string): Promise<void> {
    const wanted = before?.dashboard?.port ?? USUAL_PORTS.dashboard;
    report('step', 'starting the dashboard');
    await stopDashboards(home);
    ownerUrl = databaseUrl;
    writeSettings(home, { host: '127.0.0.1', port: wanted, allowHosts: [], readUrl: null, steer, temporal: null });
    await sync.refresh();
    const first = await startAt(wanted);
    if (first.port !== wanted)
      report('warning', `port ${wanted} is taken by another program: the dashboard is on ${first.port}`);
    report('ready', `the dashboard is at http://127.0.0.1:${first.port}; npx perpetua dashboard opens it`);
    onDashboard();
    guarded = guard({
      part: 'dashboard',
      name: 'the dashboard',
      process: first,
      restart: () => startAt(current?.port ?? first.port),
      tail: () => logTail(log, 5),
      onEvent: (event) => {
        onEvent(event);
        if (event.type === 'ready') notifyChange();
      },
    });
    notifyChange();
  }
  return {
    start: (databaseUrl) => {
      starting = startFirst(databaseUrl).catch((error: unknown) => {
        if (!end.signal.aborted)
          report('warning', `no dashboard: ${error instanceof Error ? error.message : String(error)}`);
      });
    },
    started: () => starting,
    databaseMoved: (databaseUrl) => {
      ownerUrl = databaseUrl;
      void sync.refresh();
    },
    currentProcess: () => current,
    onChange: (callback) => (notifyChange = callback),
    stop: async () => {
      end.abort();
      sync.stop();
      await starting;
      await guarded?.stop();
      if (current) await stopProcess(current, { graceMs: GRACE_MS });
      current = null;
    },
  };
}
