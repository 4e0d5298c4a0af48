import { ApplicationFailure } from '@temporalio/activity';
import type { Lease } from '../db/slot/slots.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { reschedule } from './launch/reschedule.ts';
import type { LaunchInput } from './launch/launch-input.ts';
import type { LaunchResult, StartResult } from './launch/launch-result.ts';
import { rescheduleOnHostFailure } from './launch/reschedule-on-host-failure.ts';
import { loadLaunchableJob } from './launch/launchable-job.ts';
import { prepareEvaluator, prepareHost } from './launch/prepare-host.ts';
import { createStart } from './launch/start.ts';

/** State of a trial on its last placement. */
export type ResumeResult = StartResult & { placement: number };

export const createLaunchActivities = (deps: ActivityDeps) => {
  const start = createStart(deps);
  return {
    /**
     * Turns this worker's offer into a lease and starts the run on that slot. A repeated call finds the same lease and
     * run.
     */
    launch: async (input: LaunchInput): Promise<LaunchResult> =>
      withHeartbeat(async () => {
        const { jobId } = input;
        const job = await loadLaunchableJob(deps, jobId);
        if (job.ended !== null)
          throw ApplicationFailure.nonRetryable(`${jobId} already ended: ${job.ended}`, 'TrialEnded');
        const lease = await takeLease(deps, { jobId, pool: job.pool });
        deps.reach('lease-taken');
        return start(input, lease, job);
      }),

    /**
     * Starts the run on the slot that the trial already holds: after `prepare`, or after a launch died between lease
     * and start. A retried launch would wait for a free slot while the trial holds one.
     */
    start: async (input: LaunchInput): Promise<StartResult> =>
      withHeartbeat(async () => {
        const lease = await deps.store.slot.findLease(input.jobId);
        return lease ? start(input, lease) : { state: 'unleased' };
      }),

    /**
     * Continues a trial whose workflow is new although the trial is not: Temporal's file was lost, or a person closed
     * the workflow. Keeps the trial's slot and run, so that nothing runs twice and the trial does not wait for a second
     * slot.
     */
    resume: async ({ jobId }: { jobId: string }): Promise<ResumeResult> =>
      withHeartbeat(async () => {
        const { placement } = await loadLaunchableJob(deps, jobId);
        const run = await deps.store.run.findRun({ jobId, placement });
        const lease = await deps.store.slot.findLease(jobId);
        if (!run && !lease) return { state: 'unleased', placement };
        // A slot that was leased after the run was lost belongs to the next placement.
        const isNext =
          run !== undefined && lease !== undefined && !(run.slotId === lease.id && run.fence === lease.fence);
        if (run && !isNext && (run.end || !lease)) return { state: 'running', host: run.host, placement };
        if (!lease) throw new Error(`Expected ${jobId} to hold a slot or to have a run`);
        const next = isNext ? placement + 1 : placement;
        return { ...(await start({ jobId, placement: next }, lease)), placement: next };
      }),

    /**
     * Builds the task's Python and runs its setup on the trial's host, each once per host and content hash. On this
     * machine the slot is freed first, and the result is `elsewhere`: any slot of this machine will do afterwards. A
     * slot of the fleet is kept, and the result is `prepare`: another slot might be on a host without the setup.
     */
    prepare: async (input: LaunchInput): Promise<LaunchResult> =>
      withHeartbeat(async (signal) => {
        const { jobId } = input;
        const lease = await deps.store.slot.findLease(jobId);
        // An earlier attempt freed the slot, and its worker died before it cleared the note.
        if (!lease) {
          await deps.store.run.noteWait({ jobId, waitsFor: null });
          return { state: 'elsewhere', host: '' };
        }
        const { taskHash } = await loadLaunchableJob(deps, jobId);
        const version = await deps.store.task.loadTaskVersion(taskHash);
        const held = { jobId, lease };
        const isOwn = deps.hosts.isOwnHost(lease.host);
        if (isOwn) await reschedule(deps, held);
        else await prepareEvaluator(deps, version, { jobId, signal });
        return rescheduleOnHostFailure(deps, held, async () => {
          await prepareHost(deps, version, { jobId, host: lease.host, signal });
          return { state: isOwn ? 'elsewhere' : 'prepare', host: lease.host };
        });
      }),
  };
};

/**
 * The lease that the trial holds, or a new one on the slot of this worker's offer. An offer that is not needed lapses.
 */
async function takeLease(deps: ActivityDeps, { jobId, pool }: { jobId: string; pool: string }): Promise<Lease> {
  const offer = deps.pools.takeOffer(pool);
  const lease = offer ? await deps.store.slot.leaseSlot({ jobId, ...offer }) : await deps.store.slot.findLease(jobId);
  if (!lease) throw ApplicationFailure.retryable('the offer of a slot lapsed before it was used', 'OfferLapsed');
  return lease;
}

export type LaunchActivities = ReturnType<typeof createLaunchActivities>;
