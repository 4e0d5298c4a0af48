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

/** Where a trial stands on its last placement. */
export type ResumeResult = StartResult & { placement: number };

export const createLaunchActivities = (deps: ActivityDeps) => {
  const start = createStart(deps);
  return {
    /** Turns this worker's offer into a lease and starts the run there; repeated, it lands on the same lease and run. */
    launch: async (input: LaunchInput): Promise<LaunchResult> =>
      withHeartbeat(async () => {
        const { trialId } = input;
        const of = await loadLaunchableJob(deps, trialId);
        if (of.ended !== null)
          throw ApplicationFailure.nonRetryable(`${trialId} already ended: ${of.ended}`, 'TrialEnded');
        const lease = await takeLease(deps, { trialId, pool: of.pool });
        deps.reach('lease-taken');
        return start(input, lease, of);
      }),

    /**
     * Starts the run on the slot that the trial already holds: after `prepare`, and where a launch died between lease
     * and start. A retried launch would wait for a free slot while it holds one.
     */
    start: async (input: LaunchInput): Promise<StartResult> =>
      withHeartbeat(async () => {
        const lease = await deps.store.slot.findLease(input.trialId);
        return lease ? start(input, lease) : { state: 'unleased' };
      }),

    /**
     * Takes up a trial whose workflow is new although the trial is not (Temporal's file is gone, a person closed it):
     * goes on with the slot and the run that it has, so that nothing runs twice and no held slot is waited for.
     */
    resume: async ({ trialId }: { trialId: string }): Promise<ResumeResult> =>
      withHeartbeat(async () => {
        const { placement } = await loadLaunchableJob(deps, trialId);
        const run = await deps.store.run.findRun({ trialId, placement });
        const lease = await deps.store.slot.findLease(trialId);
        if (!run && !lease) return { state: 'unleased', placement };
        // A slot that was leased after that run was lost belongs to the next placement.
        const isNext =
          run !== undefined && lease !== undefined && !(run.slotId === lease.id && run.fence === lease.fence);
        if (run && !isNext && (run.end || !lease)) return { state: 'running', host: run.host, placement };
        if (!lease) throw new Error(`Expected ${trialId} to hold a slot or to have a run`);
        const next = isNext ? placement + 1 : placement;
        return { ...(await start({ trialId, placement: next }, lease)), placement: next };
      }),

    /**
     * Builds the task's Python and runs its setup on the trial's host, each once per host and content hash. On this machine the
     * slot is free meanwhile: `elsewhere` once both are done, since any slot of it will do. A slot of a fleet is kept,
     * `prepare`: another one might lie on a host that has neither.
     */
    prepare: async (input: LaunchInput): Promise<LaunchResult> =>
      withHeartbeat(async (signal) => {
        const { trialId } = input;
        const lease = await deps.store.slot.findLease(trialId);
        // Given up before, by a worker that died then.
        if (!lease) {
          await deps.store.run.noteWait({ trialId, waitsFor: null });
          return { state: 'elsewhere', host: '' };
        }
        const { taskHash } = await loadLaunchableJob(deps, trialId);
        const version = await deps.store.task.loadTaskVersion(taskHash);
        const on = { trialId, lease };
        const isOwn = deps.hosts.isOwnHost(lease.host);
        await (isOwn ? reschedule(deps, on) : prepareEvaluator(deps, version, { trialId, signal }));
        return rescheduleOnHostFailure(deps, on, async () => {
          await prepareHost(deps, version, { trialId, host: lease.host, signal });
          return { state: isOwn ? 'elsewhere' : 'prepare', host: lease.host };
        });
      }),
  };
};

/** The lease that the trial holds, or else a new one on this worker's offer; an offer that is not needed lapses. */
async function takeLease(deps: ActivityDeps, want: { trialId: string; pool: string }): Promise<Lease> {
  const offer = deps.pools.takeOffer(want.pool);
  const lease = offer
    ? await deps.store.slot.leaseSlot({ trialId: want.trialId, ...offer })
    : await deps.store.slot.findLease(want.trialId);
  if (!lease) throw ApplicationFailure.retryable('the offer of a slot lapsed before it was used', 'OfferLapsed');
  return lease;
}

export type LaunchActivities = ReturnType<typeof createLaunchActivities>;
