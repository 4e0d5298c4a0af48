import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dashboardEnv } from '../../config/child-env.ts';
import { type Listening, readListening } from '../../config/dashboard/listening.ts';
import type { Config } from '../../config/load.ts';
import { dashboardProgramIn } from '../../config/paths.ts';
import { isAlive, type ProcessIdentity } from '../../infra/process/identity.ts';
import { findProcesses } from '../../infra/process/list.ts';
import { logTail } from '../../infra/process/log-file.ts';
import { startDetached } from '../../infra/process/start.ts';
import { stopProcess } from '../../infra/process/stop.ts';

const LOOK_MS = 50;
/** Node alone takes seconds to start on a machine that builds something. */
const PATIENCE_MS = 60_000;
/** It finishes what it is answering. */
export const GRACE_MS = 5000;

/** What to run, for whoever starts it. Throws where it is not built. */
export function dashboardCommand(config: Config) {
  const program = dashboardProgramIn(config.packageRoot);
  if (!existsSync(program))
    throw new Error(`Expected the built dashboard at ${program}, found none. Build it: npm run build`);
  return { command: process.execPath, args: [program, mark(config.home)], env: dashboardEnv(config) };
}

/** Starts a dashboard that outlives us, with the settings that lie in the home. */
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
  throw new Error(`Expected a dashboard that listens, it did not come. Its log ends with:\n${logTail(logFile, 5)}`);
}

/** Waits until a dashboard says where it listens; undefined where it ends before that, or takes too long. */
export async function awaitListening(
  home: string,
  { pid, lives }: { pid: number; lives: () => boolean },
): Promise<Listening | undefined> {
  const until = performance.now() + PATIENCE_MS;
  while (lives() && performance.now() < until) {
    const listening = readListening(home);
    if (listening?.pid === pid) return listening;
    await sleep(LOOK_MS);
  }
  return undefined;
}

/** The dashboard of this home that listens; undefined where none does. */
export function findListening(home: string): Listening | undefined {
  const listening = readListening(home);
  return listening && findDashboards(home).some(({ pid }) => pid === listening.pid) ? listening : undefined;
}

/** Those of a killed parent, and those in front of a terminal. */
export const findDashboards = (home: string): ProcessIdentity[] =>
  findProcesses((args) => args.includes(mark(home))).map(({ pid, startedAt }) => ({ pid, startedAt }));

export const stopDashboards = async (home: string): Promise<void> =>
  void (await Promise.all(findDashboards(home).map((one) => stopProcess(one, { graceMs: GRACE_MS }))));

/** Its only argument: other users see it. */
const mark = (home: string): string => `--dashboard=${home}`;
