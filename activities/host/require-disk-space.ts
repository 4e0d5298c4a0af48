import { ApplicationFailure } from '@temporalio/activity';
import type { OtherJob } from '../../db/run/other-jobs-on-host.ts';
import { unwrittenMb } from '../../domain/fault/disk-space.ts';
import type { PickDeps, PickStatements } from '../deps.ts';
import { diskFull } from './disk-full.ts';
import { removeRuns } from '../run/remove-runs.ts';

type Deps = PickDeps<'hosts', 'isOwnHost'> &
  PickDeps<'machine', 'freeDisk'> &
  Parameters<typeof removeRuns>[0] &
  PickStatements<'run', 'noteWait' | 'findOtherJobsOnHost'> &
  PickStatements<'task', 'loadTaskVersion'>;

/**
 * Rejects a launch on this machine if free space, minus its disk limit and the unwritten limits of running trials, is
 * below the floor. Postgres and Temporal share this disk, and stop if it is full. A run that is under way already
 * passes.
 */
export async function requireDiskSpace(
  deps: Deps,
  run: { jobId: string; placement: number },
  { host, fence, diskMb }: { host: string; fence: number; diskMb: number },
): Promise<void> {
  if (!deps.hosts.isOwnHost(host)) return;
  const beside = await deps.store.run.findOtherJobsOnHost({ jobId: run.jobId, host, fence });
  const limits = await Promise.all(beside.map((other) => limitOf(deps, other)));
  // Counts the full limits of other runs first; most launches pass, which saves inspecting those runs.
  if ((await diskFull(deps.machine.freeDisk, { diskMb, othersMb: unwrittenMb(limits) })) === null) return;
  const compute = deps.hosts.computeOf(host);
  if ((await compute.inspect(run)).state !== 'absent') return;
  // Files of the lost earlier placement may be what fills the disk.
  if (run.placement > 0) await removeRuns(deps, { ...run, host, placement: run.placement - 1 });
  const written = await Promise.all(
    limits.map(async (other) => {
      const found = await compute.inspect(other);
      return { ...other, writtenMb: found.state === 'running' ? (found.writtenMb ?? 0) : 0 };
    }),
  );
  const full = await diskFull(deps.machine.freeDisk, { diskMb, othersMb: unwrittenMb(written) });
  if (full === null) return;
  const waitsFor = `room on the disk of ${host}: ${full.replace(/^disk: /, '')}` as const;
  await deps.store.run.noteWait({ jobId: run.jobId, waitsFor });
  throw ApplicationFailure.retryable(full, 'DiskFull');
}

async function limitOf(deps: Deps, { taskHash, agentDiskMb, ...run }: OtherJob) {
  if (agentDiskMb !== null) return { ...run, diskMb: agentDiskMb, writtenMb: 0 };
  const { task } = await deps.store.task.loadTaskVersion(taskHash);
  return { ...run, diskMb: task.run.resources.diskMb, writtenMb: 0 };
}
