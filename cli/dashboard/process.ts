import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dashboardEnv } from '../../config/child-env.ts';
import { type Listening, readListening } from '../../config/dashboard/listening.ts';
import { readSettings } from '../../config/dashboard/settings.ts';
import type { Config } from '../../config/load.ts';
import { dashboardProgramIn } from '../../config/paths.ts';
import { isAlive, type ProcessIdentity } from '../../infra/process/identity.ts';
import { findProcesses } from '../../infra/process/list.ts';
import { logTail } from '../../infra/process/log-file.ts';
import { startDetached } from '../../infra/process/start.ts';
import { stopProcess } from '../../infra/process/stop.ts';

const POLL_MS = 50;
/** Longest wait for a dashboard to listen: on a busy machine, Node alone takes seconds to start. */
const PATIENCE_MS = 60_000;
/** Time in which a dashboard finishes its open requests. */
export const GRACE_MS = 5000;

/** Command, arguments and environment of a dashboard with the home's settings. Throws if the dashboard is not built. */
export function dashboardCommand(config: Config) {
  const program = dashboardProgramIn(config.packageRoot);
  if (!existsSync(program))
    throw new Error(`Expected the built dashboard at ${program}, found none. Build it: npm run build`);
  return {
    command: process.execPath,
    args: [program, mark(config.home)],
    env: dashboardEnv(config, readSettings(config.home).steer),
  };
}

/** Starts a dashboard that outlives this process, with the home's settings. Throws if it does not listen in time. */
export async function startDashboard(
  config: Config,
  { logFile, signal }: { logFile: string; signal: AbortSignal },
): Promise<ProcessIdentity & { port: number }> {
  const started = await startDetached({ ...dashboardCommand(config), cwd: config.packageRoot, logFile });
  const listening = await awaitListening(config.home, {
    pid: started.pid,
    lives: () => isAlive(started) && !signal.aborted,
  });
  if (listening) return { ...started, port: listening.port };
  await stopProcess(started, { graceMs: 0 });
  throw new Error(`Expected the dashboard to listen, it does not. Its log ends with:\n${logTail(logFile, 5)}`);
}

/** Waits until a dashboard has stored where it listens; undefined if it ends before that, or takes too long. */
export async function awaitListening(
  home: string,
  { pid, lives }: { pid: number; lives: () => boolean },
): Promise<Listening | undefined> {
  const until = performance.now() + PATIENCE_MS;
  while (lives() && performance.now() < until) {
    const listening = readListening(home);
    if (listening?.pid === pid) return listening;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Finds the dashboard of this home that listens; undefined if none does. */
export function findListening(home: string): Listening | undefined {
  const listening = readListening(home);
  return listening && findDashboards(home).some(({ pid }) => pid === listening.pid) ? listening : undefined;
}

/** Finds all dashboard processes of a home, also if their parent was killed. */
export const findDashboards = (home: string): ProcessIdentity[] =>
  findProcesses((args) => args.includes(mark(home))).map(({ pid, startedAt }) => ({ pid, startedAt }));

export async function stopDashboards(home: string): Promise<void> {
  await Promise.all(findDashboards(home).map((dashboard) => stopProcess(dashboard, { graceMs: GRACE_MS })));
}

/** Argument that marks a dashboard of this home. It has no secret, since other users see the arguments of a process. */
const mark = (home: string): string => `--dashboard=${home}`;
