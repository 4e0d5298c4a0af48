import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import type { Lease } from '../../db/slot/slots.ts';
import { memoryShortage } from '../../domain/fleet/memory.ts';
import { asksNothing, needsOf } from '../../domain/tools/needs.ts';
import type { ActivityDeps } from '../deps.ts';
import { stageOf } from '../task/task-stage.ts';
import { environmentOn } from '../task/environment.ts';
import { createDamageCounter, createSetupCounter } from '../host/workspace-counters.ts';
import { requireDiskSpace } from '../host/require-disk-space.ts';
import { reschedule } from './reschedule.ts';
import { ensureStaged } from './ensure-staged.ts';
import type { LaunchInput } from './launch-input.ts';
import type { LaunchResult } from './launch-result.ts';
import { rescheduleOnHostFailure } from './reschedule-on-host-failure.ts';
import { loadLaunchableJob, type LaunchableJob } from './launchable-job.ts';

/** The failure of an attempt that slept while the trial went on under another lease, or ended. */
const fenced = (jobId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`trial ${jobId} ended, or holds another slot by now`, 'Fenced');

/** The environment of a run: the Python's name, and a hash of the variables that the fleet sets on its host. */
function withVariables(name: string, variables: Readonly<Record<string, string>>): string {
  const entries = Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return name;
  return `${name}+${createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16)}`;
}

interface LeasedRun {
  jobId: string;
  placement: number;
  lease: Lease;
}

/** Starts a run on a leased slot. A repeated call finds the same run. */
export function createStart(deps: ActivityDeps) {
  const setupCounter = createSetupCounter(deps);
  const countDamages = createDamageCounter();

  /**
   * Leaves cleanup to the next probe of the host: the attempt that abandoned this trial may have looked for its run
   * before the run directory existed.
   */
  const leaveToProbe = async ({ lease: { host, fence }, ...run }: LeasedRun): Promise<void> => {
    if (!deps.hosts.isOwnHost(host)) await deps.store.run.freeUnconfirmed({ ...run, fence });
  };

  const startOnHost = async (
    { jobId, placement, setups = 0 }: LaunchInput,
    lease: Lease,
    knownJob?: LaunchableJob,
  ): Promise<LaunchResult> => {
    const compute = deps.hosts.computeOf(lease.host);
    const job = knownJob ?? (await loadLaunchableJob(deps, jobId));
    const version = await deps.store.task.loadTaskVersion(job.taskHash);
    const { diskMb } = job.limitsOf(version.task);
    const tooLittle = memoryShortage(version.task, deps.hosts.memoryOf(lease.host));
    // A run that an earlier attempt began passes: it already has its memory.
    if (tooLittle !== null && !(await deps.store.run.findRun({ jobId, placement })))
      throw ApplicationFailure.nonRetryable(tooLittle, 'TooLittleMemory');
    const needs = needsOf(version.task);
    if (!asksNothing(needs) && !(await deps.store.run.findRun({ jobId, placement }))) {
      const missing = await compute.missingTools(needs);
      if (missing.length > 0) throw ApplicationFailure.nonRetryable(missing.join('\n'), 'ToolsMissing');
    }
    await requireDiskSpace(deps, { jobId, placement }, { host: lease.host, fence: lease.fence, diskMb });
    // From here on other launches count this run's disk limit.
    if (job.waits) await deps.store.run.noteWait({ jobId, waitsFor: null });
    deps.reach('room-counted');
    const environment = await environmentOn(deps, version, lease.host);
    const isBuilt = environment === undefined || (await compute.isPrepared(environment));
    const isSetUp = version.task.setup === undefined || (await compute.isPrepared(stageOf(deps, version)));
    // Commands that draw files of the stage may need the task's Python.
    if (isBuilt) await ensureStaged(deps, compute, version);
    // A run that an attempt launched before it died needs no setup any more.
    if (!(isBuilt && isSetUp) && (await compute.inspect({ jobId, placement })).state === 'absent') {
      setupCounter.another({ jobId, host: lease.host, setups });
      return { state: 'prepare', host: lease.host };
    }
    const hardware = await deps.hosts.hardwareOf(lease);
    const within = environment === undefined ? undefined : withVariables(environment, deps.hosts.envOf(lease.host));
    if (!(await deps.store.run.beginRun({ jobId, placement, lease, hardware, environment: within }))) {
      // A worker abandoned this placement and died: the run began on another host, or was closed without an end.
      const begun = await deps.store.run.findRun({ jobId, placement });
      if (begun && (begun.host !== lease.host || (begun.endedAt !== null && begun.end === null)))
        return reschedule(deps, { jobId, lease });
      throw fenced(jobId);
    }
    setupCounter.launched(jobId);
    deps.reach('run-begun');
    const spec = await job.specOf({ version, lease, placement, environment });
    await compute.launch(spec).catch(async (error: unknown) => {
      if ((await deps.store.slot.findLease(jobId))?.fence === lease.fence) throw error;
      // The lease is gone. The attempt that abandoned the trial may have removed the run directory while it was being
      // made, which is no fault of the host; or the run began in spite of the error.
      await leaveToProbe({ jobId, placement, lease });
      throw fenced(jobId);
    });
    deps.reach('run-launched');
    if (!(await deps.store.run.markLaunched({ jobId, placement, fence: lease.fence }))) {
      // Before the kill: if this worker dies in between, the probe kills the run.
      await leaveToProbe({ jobId, placement, lease });
      await compute.kill({ jobId, placement }, lease.fence);
      throw fenced(jobId);
    }
    return { state: 'running', host: lease.host };
  };

  return (input: LaunchInput, lease: Lease, job?: LaunchableJob): Promise<LaunchResult> => {
    const held = { jobId: input.jobId, lease };
    return rescheduleOnHostFailure(deps, held, () => countDamages(held, () => startOnHost(input, lease, job)));
  };
}
