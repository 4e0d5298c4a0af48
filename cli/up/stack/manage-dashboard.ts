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

type Place = NonNullable<UpState['dashboard']>;

export interface DashboardManager {
  /** Starts it beside everything else; what keeps it from starting is told, and nothing fails for it. */
  start: (databaseUrl: string) => void;
  /** Resolves when it has started, or has not. */
  started: () => Promise<void>;
  /** Postgres came back elsewhere. */
  databaseMoved: (databaseUrl: string) => void;
  /** Null where none runs. */
  currentProcess: () => Place | null;
  /** Calls back whenever it is another process. */
  onChange: (heard: () => void) => void;
  stop: () => Promise<void>;
}

/** Looks after the dashboard of a home until `stop`: it is started again where it dies, and nothing depends on it. */
export function manageDashboard(
  config: Config,
  { before, onEvent, onDashboard }: { before: UpState | null; onEvent: OnEvent; onDashboard: () => void },
): DashboardManager {
  const { home } = config;
  const log = logFiles(home).dashboard;
  const end = new AbortController();
  const tell = (type: 'step' | 'ready' | 'warning', text: string) => onEvent({ type, part: 'dashboard', text });
  let owner = '';
  const told: SettingsSync = syncSettings(home, () => owner);
  let place: Place | null = null;
  let guarded: ReturnType<typeof guard> | null = null;
  let starting = Promise.resolve();
  let heard: () => void = () => undefined;

  async function startAt(port: number): Promise<Place> {
    writeSettings(home, { ...readSettings(home), port: await freePort(port) });
    place = await startDashboard(config, { logFile: log, signal: end.signal });
    return place;
  }
  async function startFirst(databaseUrl: string): Promise<void> {
    const wanted = before?.dashboard?.port ?? USUAL_PORTS.dashboard;
    tell('step', 'starting the dashboard');
    await stopDashboards(home);
    owner = databaseUrl;
    writeSettings(home, { host: '127.0.0.1', port: wanted, allowHosts: [], readUrl: null, temporal: null });
    await told.refresh();
    const first = await startAt(wanted);
    if (first.port !== wanted)
      tell('warning', `port ${wanted} is taken by another program: the dashboard is on ${first.port}`);
    tell('ready', `the dashboard is at http://127.0.0.1:${first.port}; npx perpetua dashboard opens it`);
    onDashboard();
    guarded = guard({
      ...{ part: 'dashboard', name: 'the dashboard', process: first },
      restart: () => startAt(place?.port ?? first.port),
      tail: () => logTail(log, 5),
      onEvent: (event) => {
        onEvent(event);
        if (event.type === 'ready') heard();
      },
    });
    heard();
  }
  return {
    start: (databaseUrl) => {
      starting = startFirst(databaseUrl).catch((error: unknown) => {
        if (!end.signal.aborted)
          tell('warning', `no dashboard: ${error instanceof Error ? error.message : String(error)}`);
      });
    },
    started: () => starting,
    databaseMoved: (databaseUrl) => {
      owner = databaseUrl;
      void told.refresh();
    },
    currentProcess: () => place,
    onChange: (callback) => (heard = callback),
    stop: async () => {
      end.abort();
      told.stop();
      await starting;
      await guarded?.stop();
      if (place) await stopProcess(place, { graceMs: GRACE_MS });
      place = null;
    },
  };
}
