import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/load.ts';
import { homePaths } from '../../../config/paths.ts';
import { readUpFile, retireUpFile } from '../../../config/up-file.ts';
import { isAlive, type ProcessIdentity } from '../../../infra/process/identity.ts';
import { lockHolder } from '../../../infra/process/lock.ts';
import { signalProcess, stopProcess } from '../../../infra/process/stop.ts';
import { findDashboards, stopDashboards } from '../../dashboard/process.ts';
import { CliError } from '../../errors.ts';
import { SAME_PRESS_MS } from '../interrupts.ts';
import { killRuns, readLivingRuns, type LivingRuns } from '../kill-runs.ts';
import { lockHome } from './lock-home.ts';
import { findWorkers, stopWorkers } from './worker-processes.ts';

const POLL_MS = 100;
const REPORT_EVERY_MS = 10_000;
const TEMPORAL_GRACE_MS = 10_000;
const POSTGRES_GRACE_MS = 30_000;

/** Result of stopping a stack. */
export interface Stopped {
  /** Process that ran the stack; null if it was dead already and only its servers or workers were left. */
  pid: number | null;
  /** Number of runs that continue, on this machine and on others; null if Postgres did not answer. */
  goingOn: number | null;
  /** Number of killed runs. */
  killed: number;
}

interface StopOptions {
  /** Also kill the workers and the runs of this machine. */
  now: boolean;
  /** Ends the wait; the stack still stops. */
  signal?: AbortSignal | undefined;
  /** Called from time to time while the stack still stops. */
  onWait: (text: string) => void;
}

/** Stops the stack of a home as Ctrl-C in its terminal does. Resolves once all of it is gone; null if no stack runs. */
export async function stopStack(config: Config, options: StopOptions): Promise<Stopped | null> {
  const holder = lockHolder(homePaths(config.home).upLock);
  const state = await readUpFile(config.home).catch(() => null);
  const runs = state && (await readLivingRuns(state.postgres.url, config.home).catch(() => null));
  if (holder) {
    await signalToStop(holder, options);
    // Kills the runs here, too: the process may have ended before the second signal reached it.
    const killed = options.now && runs ? await killRuns(config, runs) : 0;
    return tally({ pid: holder.pid, runs, killed });
  }
  const servers = [state?.temporal.embedded, state?.postgres.embedded].filter((server) => server && isAlive(server));
  if (servers.length + findWorkers(config.home).length + findDashboards(config.home).length === 0) return null;
  return tally({ pid: null, runs, killed: await stopOrphans(config, options, runs) });
}

/** Signals the stack's process to stop and waits for its end. With `now`, sends a second signal, for an end at once. */
async function signalToStop(holder: ProcessIdentity, { now, signal, onWait }: StopOptions): Promise<void> {
  press(holder);
  if (now) {
    await sleep(2 * SAME_PRESS_MS);
    press(holder);
  }
  for (let reportedAt = performance.now(); isAlive(holder); await sleep(POLL_MS)) {
    if (signal?.aborted)
      throw new CliError('failed', `process ${holder.pid} is still stopping the stack, and goes on with that.`);
    if (performance.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = performance.now();
    onWait(`process ${holder.pid} is still stopping the stack`);
  }
}

function press(holder: ProcessIdentity): void {
  try {
    signalProcess(holder, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    const why = `Process ${holder.pid}, which runs the stack, belongs to another user.`;
    throw new CliError('refused', `${why} Run this command as that user, or as root.`, { cause: error });
  }
}

/** Stops the processes of a killed parent in the order of a normal end; returns the number of killed runs. */
async function stopOrphans(config: Config, { now }: StopOptions, runs: LivingRuns | null): Promise<number> {
  const release = lockHome(config.home);
  try {
    const state = await readUpFile(config.home).catch(() => null);
    await stopWorkers(findWorkers(config.home), now ? 0 : undefined);
    const killed = now && runs ? await killRuns(config, runs) : 0;
    const { temporal, postgres } = state ?? {};
    if (temporal?.embedded) await stopProcess(temporal.embedded, { graceMs: TEMPORAL_GRACE_MS });
    await stopDashboards(config.home);
    if (postgres?.embedded) await stopProcess(postgres.embedded, { signal: 'SIGINT', graceMs: POSTGRES_GRACE_MS });
    await retireUpFile(config.home);
    return killed;
  } finally {
    release();
  }
}

const tally = ({ pid, runs, killed }: { pid: number | null; runs: LivingRuns | null; killed: number }): Stopped => ({
  pid,
  goingOn: runs && runs.runs.length + runs.elsewhere - killed,
  killed,
});
