import { existsSync } from 'node:fs';
import { type StackAddresses, workerEnv } from '../../../config/child-env.ts';
import type { Config } from '../../../config/load.ts';
import { workerProgramIn } from '../../../config/paths.ts';
import type { ProcessIdentity } from '../../../infra/process/identity.ts';
import { findProcesses } from '../../../infra/process/list.ts';
import { startDetached } from '../../../infra/process/start.ts';
import { stopProcess } from '../../../infra/process/stop.ts';

/** Time for a worker to finish its short activities. Long activities detach, and the next worker continues them. */
const DRAIN_MS = 30_000;

/** Path of the built worker program. Throws if it is not built. */
export function workerProgram(config: Config): string {
  const program = workerProgramIn(config.packageRoot);
  if (existsSync(program)) return program;
  throw new Error(`Expected the built worker at ${program}, found none. Build it: npm run build`);
}

/** Starts a detached worker. Its arguments name the home, so that it is found again if this process is killed. */
export function startWorker(config: Config, options: { program: string; addresses: StackAddresses; logFile: string }) {
  return startDetached({
    command: process.execPath,
    args: [options.program, mark(config.home)],
    env: workerEnv(config, options.addresses),
    cwd: config.packageRoot,
    logFile: options.logFile,
  });
}

/** Finds the worker processes of a home, also those of a killed parent. */
export const findWorkers = (home: string): ProcessIdentity[] =>
  findProcesses((args) => args.includes(mark(home))).map(({ pid, startedAt }) => ({ pid, startedAt }));

/** Lets all workers drain in parallel, and kills them after `graceMs`. Returns the number of killed workers. */
export async function stopWorkers(workers: ProcessIdentity[], graceMs: number = DRAIN_MS): Promise<number> {
  const ends = await Promise.all(workers.map((worker) => stopProcess(worker, { signal: 'SIGTERM', graceMs })));
  return ends.filter((end) => end === 'killed').length;
}

const mark = (home: string): string => `--home=${home}`;
