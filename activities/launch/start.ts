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

/** This attempt slept while the trial went on without it. */
const fenced = (trialId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`trial ${trialId} ended, or holds another slot by now`, 'Fenced');

interface Placing {
  trialId: string;
  placement: number;
  lease: Lease;
}

/** Starts a run on a leased slot; repeated, it lands on the same run. */
export function createStart(deps: ActivityDeps) {
  /** Who gave the trial up may have found nothing there yet. */
  const leaveToALook = async ({ lease: { host, fence }, ...run }: Placing): Promise<void> => {
    if (!deps.hosts.isOwnHost(host)) await deps.store.run.freeUnconfirmed({ ...run, fence });
  };
  const counting = createSetupCounter(deps);
  const onHost = async (
    { trialId, placement, setups = 0 }: LaunchInput,
    lease: Lease,
    known?: LaunchableJob,
  ): Promise<LaunchResult> => {
    const compute = deps.hosts.computeOf(lease.host);
    const of = known ?? (await loadLaunchableJob(deps, trialId));
    const version = await deps.store.task.loadTaskVersion(of.taskHash);
    const { diskMb } = version.task.run.resources;
    const tooLittle = memoryShortage(version.task, deps.hosts.memoryOf(lease.host));
    // What is under way there already has what it took.
    if (tooLittle !== null && !(await deps.store.run.findRun({ trialId, placement })))
      throw ApplicationFailure.nonRetryable(tooLittle, 'TooLittleMemory');
    const needs = needsOf(version.task);
    if (!asksNothing(needs) && !(await deps.store.run.findRun({ trialId, placement }))) {
      const lacking = await compute.missingTools(needs);
      if (lacking.length > 0) throw ApplicationFailure.nonRetryable(lacking.join('\n'), 'ToolsMissing');
    }
    await requireDiskSpace(deps, { trialId, placement }, { host: lease.host, fence: lease.fence, diskMb });
    // From here on others leave that room to it.
    if (of.waits) await deps.store.run.noteWait({ trialId, waitsFor: null });
    deps.reach('room-counted');
    const environment = await environmentOn(deps, version, lease.host);
    const isBuilt = environment === undefined || (await compute.isPrepared(environment));
    const isSetUp = version.task.setup === undefined || (await compute.isPrepared(stageOf(deps, version)));
    // The commands that draw files of it may need that Python.
    if (isBuilt) await ensureStaged(deps, compute, version);
    // Where it runs already, by an attempt that died since, it needs no setup any more.
    if (!(isBuilt && isSetUp) && (await compute.inspect({ trialId, placement })).state === 'absent') {
      counting.another({ trialId, host: lease.host, setups });
      return { state: 'prepare', host: lease.host };
    }
    if (!(await deps.store.run.beginRun({ trialId, placement, lease }))) {
      // A worker died when it had given this placement up, on another host or before it was ended there.
      const begun = await deps.store.run.findRun({ trialId, placement });
      if (begun && (begun.host !== lease.host || (begun.endedAt !== null && begun.end === null)))
        return reschedule(deps, { trialId, lease });
      throw fenced(trialId);
    }
    counting.launched(trialId);
    deps.reach('run-begun');
    const spec = await of.specOf({ version, lease, placement, environment });
    await compute.launch(spec).catch(async (error: unknown) => {
      if ((await deps.store.slot.findLease(trialId))?.fence === lease.fence) throw error;
      // Whoever gave it up may have had its directory removed in the making: no fault of the host. Or it began all the same.
      await leaveToALook({ trialId, placement, lease });
      throw fenced(trialId);
    });
    deps.reach('run-launched');
    if (!(await deps.store.run.markLaunched({ trialId, placement, fence: lease.fence }))) {
      // Where we die now.
      await leaveToALook({ trialId, placement, lease });
      await compute.kill({ trialId, placement }, lease.fence);
      throw fenced(trialId);
    }
    return { state: 'running', host: lease.host };
  };
  const counted = createDamageCounter();
  return (input: LaunchInput, lease: Lease, of?: LaunchableJob): Promise<LaunchResult> => {
    const on = { trialId: input.trialId, lease };
    return rescheduleOnHostFailure(deps, on, () => counted(on, () => onHost(input, lease, of)));
  };
}
