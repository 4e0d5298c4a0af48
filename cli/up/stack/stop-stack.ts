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

const LOOK_MS = 100;
const TELL_EVERY_MS = 10_000;
const [TEMPORAL_GRACE_MS, POSTGRES_GRACE_MS] = [10_000, 30_000];

/** What was found of a stack, and ended. */
export interface Stopped {
  /** The process that looked after it; null where that was dead already, and its servers were left. */
  pid: number | null;
  /** Runs that go on by themselves, on this machine and on others; null where Postgres could not be asked. */
  goingOn: number | null;
  killed: number;
}

interface Asked {
  /** Also kill the workers and the runs of this machine. */
  now: boolean;
  signal?: AbortSignal | undefined;
  onWait: (text: string) => void;
}

/** Stops the stack of a home as Ctrl-C in its terminal does; null where none runs. Resolves once all of it is gone. */
export async function stopStack(config: Config, asked: Asked): Promise<Stopped | null> {
  const holder = lockHolder(homePaths(config.home).upLock);
  const state = await readUpFile(config.home).catch(() => null);
  const runs = state && (await readLivingRuns(state.postgres.url, config.home).catch(() => null));
  if (holder) {
    await askToStop(holder, asked);
    // Also where it was gone before the second signal came.
    const killed = asked.now && runs ? await killRuns(config, runs) : 0;
    return tally({ pid: holder.pid, runs, killed });
  }
  const servers = [state?.temporal.embedded, state?.postgres.embedded].filter((one) => one && isAlive(one));
  if (servers.length + findWorkers(config.home).length + findDashboards(config.home).length === 0) return null;
  return tally({ pid: null, runs, killed: await stopOrphans(config, asked, runs) });
}

/** The first signal is the first Ctrl-C, the second one the second. */
async function askToStop(holder: ProcessIdentity, { now, signal, onWait }: Asked): Promise<void> {
  press(holder);
  if (now) {
    await sleep(2 * SAME_PRESS_MS);
    press(holder);
  }
  for (let toldAt = performance.now(); isAlive(holder); await sleep(LOOK_MS)) {
    if (signal?.aborted)
      throw new CliError('failed', `process ${holder.pid} is stopping the stack, and has not ended yet; it goes on.`);
    if (performance.now() - toldAt < TELL_EVERY_MS) continue;
    toldAt = performance.now();
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

/** What a killed parent left, in the order of an orderly end; returns how many runs were killed. */
async function stopOrphans(config: Config, { now }: Asked, runs: LivingRuns | null): Promise<number> {
  const release = lockHome(config.home);
  try {
    const state = await readUpFile(config.home).catch(() => null);
    await stopWorkers(findWorkers(config.home), ...(now ? [0] : []));
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
