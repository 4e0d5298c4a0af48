import { isTrialId } from '../domain/trial/ids.ts';
import { type JobKind, type JobSpec, DEFAULT_RESTART } from '../domain/job.ts';
import type { JobEnded, JobEnding } from '../domain/job/ended.ts';
import type { JobArgs } from '../domain/messages.ts';
import type { RunEnd } from '../infra/compute.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps, PickDeps } from './deps.ts';
import { endRun } from './run/end-run.ts';
import { readTask, versionOf } from './task/read-task.ts';
import { refuse } from './task/refuse.ts';
import { requirePool, requireSandbox, requireSize } from './task/require-runnable.ts';
import { commandSandbox } from './task/sandbox-of.ts';

/** `task`: a name among the built-in tasks, or a path on the worker's machine. */
export type OpenJobInput = Pick<JobArgs, 'task' | 'command' | 'pool' | 'serve'> & { jobId: string };

/** Facts of an opened job that its workflow needs. */
export interface OpenedJob {
  pool: string;
  priority: number;
  taskName: string;
  shape: JobSpec['shape'];
  /** Ending of a job that was closed before; null while the job is open. */
  ending: JobEnding | null;
}

/** Priority of a command or server in its queue; 1 is first, and most trials have 3. A person waits for a command. */
const PRIORITY = 1;

function kindAndSpec({ command, serve }: OpenJobInput): { kind: JobKind; spec: JobSpec } {
  if (!serve) return { kind: 'command', spec: { shape: 'to-an-end', command } };
  const { ready, restart = DEFAULT_RESTART } = serve;
  return { kind: 'server', spec: { shape: 'without-an-end', command, ready, restart } };
}

/** Removes the folders of a job's sockets, those of its earlier placements included. */
async function removeGateways(
  { gateway }: PickDeps<'gateway', 'remove'>,
  { jobId, placement: last }: { jobId: string; placement: number },
): Promise<void> {
  for (let placement = 0; placement <= last; placement += 1) await gateway.remove({ jobId, placement });
}

export const createJobActivities = (deps: ActivityDeps) => ({
  /**
   * Opens a command or a server in the workspace of a task, as the task's folder is now. A known job stays unchanged.
   */
  openJob: wrapInHeartbeat(async (input: OpenJobInput): Promise<OpenedJob> => {
    const { jobId } = input;
    const { kind, spec } = kindAndSpec(input);
    if (isTrialId(jobId))
      throw refuse(`workflow id: expected one that does not end in /number, got ${jobId}, a trial's`, 'BadInput');
    if (!(await deps.store.job.findJob(jobId))) {
      const loaded = await readTask(deps, input.task);
      const { resources } = loaded.task.run;
      const pool = input.pool ?? resources.pool;
      const task = { ...loaded.task, run: { ...loaded.task.run, resources: { ...resources, pool } } };
      await requireSize(deps, task);
      await requireSandbox(deps, task, commandSandbox(task));
      await requirePool(deps, task);
      await deps.store.task.saveTaskVersion(versionOf(loaded));
      await deps.store.job.openJob({
        id: jobId,
        kind,
        taskHash: loaded.hash,
        pool,
        priority: PRIORITY,
        spec,
      });
    }
    const { job } = await deps.store.job.loadJob(jobId);
    if (job.kind !== kind || job.taskHash === null)
      throw refuse(`workflow id: expected a free one, or a ${kind}'s; got ${jobId}, a ${job.kind}`, 'BadInput');
    const { task } = await deps.store.task.loadTaskVersion(job.taskHash);
    const { pool, priority, ending } = job;
    return { pool, priority, taskName: task.name, shape: job.spec.shape, ending };
  }),

  endJob: wrapInHeartbeat(createEndJob(deps)),
});

/**
 * Closes a job, so that no run of it begins; then kills its run, frees its slot and removes its run directories. If the
 * job was closed before, its stored ending stands.
 */
export const createEndJob =
  (deps: ActivityDeps) =>
  async ({ jobId, ...given }: JobEnding & { jobId: string }): Promise<JobEnded> => {
    const { job } = deps.store;
    const ending = (await job.closeJob(jobId, given)) ?? given;
    const found = await job.findJob(jobId);
    const key = { jobId, placement: found?.placement ?? 0 };
    if (found) await endRun(deps, key);
    if (found?.job.kind === 'proposal') await removeGateways(deps, key);
    deps.reach('job-ended');
    const run = await deps.store.run.findRun(key);
    const end = run?.end as RunEnd | null | undefined;
    return {
      ...ending,
      detail: ending.detail ?? run?.shortage ?? null,
      host: run?.host ?? null,
      end: end ? { reason: end.reason, exitCode: end.exitCode, signal: end.signal, seconds: end.wallSeconds } : null,
    };
  };
