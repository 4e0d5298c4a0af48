import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import type { Trial } from '../db/queries/proposal.ts';
import type { Research } from '../db/queries/research.ts';
import type { Lease } from '../db/queries/slots.ts';
import type { Compute } from '../infra/compute.ts';
import { lacksMemory } from '../domain/fleet/memory.ts';
import type { Task } from '../domain/task/task.ts';
import { orHostFails } from './at-host.ts';
import type { ActivityDeps, HostRefusal } from './deps.ts';
import { countDamages, isNotKept } from './kept-whole.ts';
import { requireRoom } from './require-room.ts';
import { runSpecOf } from './run-spec.ts';
import { withHeartbeat } from './beat.ts';

export interface LaunchInput {
  trialId: string;
  placement: number;
}

/**
 * `prepare`: the host lacks the task's setup; `running`: a supervisor is under way; `elsewhere`: the host failed, or
 * refused this task, and the trial has to be placed once more.
 */
export type LaunchResult = { state: 'prepare' | 'running' | 'elsewhere'; host: string; refusal?: HostRefusal };
/** `unleased`: the trial holds no slot and has to wait for one. */
export type StartResult = LaunchResult | { state: 'unleased' };
/** Where a trial stands on its last placement. */
export type ResumeResult = StartResult & { placement: number };

export const createLaunchActivities = (deps: ActivityDeps) => {
  const start = createStart(deps);
  return {
    /** Turns this worker's offer into a lease and starts the run there; repeated, it lands on the same lease and run. */
    launch: async (input: LaunchInput): Promise<LaunchResult> =>
      withHeartbeat(async () => {
        const of = await deps.store.loadTrialAndResearch(input.trialId);
        const { id: trialId, status, pool } = of.trial;
        if (status !== null)
          throw ApplicationFailure.nonRetryable(`trial ${trialId} already ended: ${status}`, 'TrialEnded');
        const lease = await takeLease(deps, { trialId, pool });
        deps.reach('lease-taken');
        return start(input, lease, of);
      }),

    /**
     * Starts the run on the slot that the trial already holds: after `prepare`, and where a launch died between lease
     * and start. A retried launch would wait for a free slot while it holds one.
     */
    start: async (input: LaunchInput): Promise<StartResult> =>
      withHeartbeat(async () => {
        const lease = await deps.store.findLease(input.trialId);
        return lease ? start(input, lease) : { state: 'unleased' };
      }),

    /**
     * Takes up a trial whose workflow is new although the trial is not (Temporal's file is gone, a person closed it):
     * goes on with the slot and the run that it has, so that nothing runs twice and no held slot is waited for.
     */
    resume: async ({ trialId }: { trialId: string }): Promise<ResumeResult> =>
      withHeartbeat(async () => {
        const { placement } = await deps.store.loadTrial(trialId);
        const run = await deps.store.findRun({ trialId, placement });
        const lease = await deps.store.findLease(trialId);
        if (!run && !lease) return { state: 'unleased', placement };
        // A slot that was leased after that run was lost belongs to the next placement.
        const isNext =
          run !== undefined && lease !== undefined && !(run.slotId === lease.id && run.fence === lease.fence);
        if (run && !isNext && (run.end || !lease)) return { state: 'running', host: run.host, placement };
        if (!lease) throw new Error(`Expected trial ${trialId} to hold a slot or to have a run`);
        const next = isNext ? placement + 1 : placement;
        return { ...(await start({ trialId, placement: next }, lease)), placement: next };
      }),

    /** Runs the task's setup on the trial's host, once per host and content hash: `prepare` once it is done. */
    prepare: async (input: LaunchInput): Promise<LaunchResult> =>
      withHeartbeat(async (signal) => {
        const lease = await deps.store.findLease(input.trialId);
        // Given up before, by a worker that died then.
        if (!lease) return { state: 'elsewhere', host: '' };
        const trial = await deps.store.loadTrial(input.trialId);
        const version = await deps.store.loadTaskVersion(trial.taskHash);
        const { task } = version;
        if (!task.setup) return { state: 'prepare', host: lease.host };
        const { setup } = task;
        return orElsewhere(deps, { trialId: trial.id, lease }, async () => {
          await setUpInTries(deps, version, { host: lease.host, setup, signal });
          return { state: 'prepare', host: lease.host };
        });
      }),
  };
};

/** Times that one setup stages a workspace anew that was found damaged. */
const RESTAGINGS = 3;
/** Setups that fail, each after a pause, before the task's setup is taken to be broken: downloads fail by chance. */
const SETUP_TRIES = 3;
const SETUP_PAUSE_MS = 1000;

/** One that took too long is as long the next time: that is another error. */
const isSetupFailure = (error: unknown): boolean => error instanceof Error && error.name === 'SetupFailedError';

interface SetupOn {
  host: string;
  setup: NonNullable<Task['setup']>;
  signal: AbortSignal;
}

async function setUpInTries(
  deps: ActivityDeps,
  version: { hash: string; stageHash: string },
  on: SetupOn,
): Promise<void> {
  for (let [restagings, failures] = [0, 0]; ;) {
    // Somebody may have cleared the host since the launch.
    await haveStaged(deps, deps.computeOf(on.host), version);
    try {
      return await setUp(deps, { ...on, stageHash: version.stageHash });
    } catch (error) {
      // A setup that failed may have damaged it, which is no failure of its own.
      if (deps.isStageMissing(error)) {
        if ((restagings += 1) <= RESTAGINGS) continue;
        throw ApplicationFailure.nonRetryable(
          `setup: expected it to leave its workspace whole; ${restagings} were damaged, by it or by something on that machine that cleans`,
          'SetupFailedError',
        );
      }
      // In the place of a host that fails another may do.
      const isFinal = !deps.isOwnHost(on.host) || !isSetupFailure(error);
      if (isFinal || (failures += 1) === SETUP_TRIES) throw error;
      await sleep(SETUP_PAUSE_MS, undefined, { signal: on.signal });
    }
  }
}

async function setUp(deps: ActivityDeps, of: SetupOn & { stageHash: string }): Promise<void> {
  const { commands, timeoutSeconds } = of.setup;
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Who waits for another setup has not begun.
  const onBegin = (): void => void (timer ??= setTimeout(() => limit.abort(), timeoutSeconds * 1000));
  const until = AbortSignal.any([of.signal, limit.signal]);
  try {
    const watching = { onOutput: () => undefined, onBegin, signal: until, limitSeconds: timeoutSeconds };
    await deps.computeOf(of.host).prepare(of.stageHash, commands, watching);
  } catch (error) {
    if (!limit.signal.aborted || of.signal.aborted) throw error;
    throw ApplicationFailure.nonRetryable(
      `setup: expected it to end within ${timeoutSeconds} s; make it faster or raise setup.timeoutSeconds`,
      'SetupFailedError',
    );
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A host that fails, or refuses the task, before anybody follows the run: its slot is given up, and what may have begun
 * there is ended later. A refusal is between that task and that host, which others may go on using.
 */
async function orElsewhere(
  deps: ActivityDeps,
  on: { trialId: string; lease: Lease },
  work: () => Promise<LaunchResult>,
): Promise<LaunchResult> {
  const { host } = on.lease;
  try {
    return await orHostFails(deps, host, { work, otherwise: () => giveUp(deps, on) });
  } catch (error) {
    if (deps.isTaken(error)) {
      // Until a look finds the GPU free again.
      await deps.store.retireSlot(on.lease.id);
      await deps.store.noteOnHost({ name: host, note: error instanceof Error ? error.message : String(error) });
      return giveUp(deps, on);
    }
    if (isNotKept(error) && !deps.isOwnHost(host)) {
      await deps.store.hostFailed({ name: host, message: error.message });
      return giveUp(deps, on);
    }
    const refusal = refusalOf(deps, error);
    // Here a person may mend it, and nobody else would take the trial.
    if (refusal === null || deps.isOwnHost(host)) throw error;
    const detail = `host ${host}: ${refusal.detail}`;
    await deps.store.noteOnHost({ name: host, note: `refused ${on.trialId}: ${refusal.detail}` });
    const hosts = await deps.store.countServing(on.lease.pool);
    return { ...(await giveUp(deps, on)), refusal: { ...refusal, detail, hosts } };
  }
}

/** Failures of ours that are between a task and a host, by their type. */
const REFUSALS: Readonly<Record<string, HostRefusal['why']>> = {
  SetupFailedError: 'setup-failed',
  TooLittleMemory: 'failed',
};

function refusalOf(deps: ActivityDeps, error: unknown): Omit<HostRefusal, 'hosts'> | null {
  const why = error instanceof ApplicationFailure ? REFUSALS[error.type ?? ''] : undefined;
  return error instanceof ApplicationFailure && why ? { why, detail: error.message } : deps.hostRefusal(error);
}

async function giveUp(
  deps: ActivityDeps,
  { trialId, lease: { host, fence } }: { trialId: string; lease: Lease },
): Promise<LaunchResult> {
  await deps.store.freeSlot({ trialId, fence });
  return { state: 'elsewhere', host };
}

/** The lease that the trial holds, or else a new one on this worker's offer; an offer that is not needed lapses. */
async function takeLease(deps: ActivityDeps, want: { trialId: string; pool: string }): Promise<Lease> {
  const offer = deps.takeOffer(want.pool);
  const lease = offer
    ? await deps.store.leaseSlot({ trialId: want.trialId, ...offer })
    : await deps.store.findLease(want.trialId);
  if (!lease) throw ApplicationFailure.retryable('the offer of a slot lapsed before it was used', 'OfferLapsed');
  return lease;
}

/** This attempt slept while the trial went on without it. */
const fenced = (trialId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`trial ${trialId} ended, or holds another slot by now`, 'Fenced');

/** A host that has lost it says so at the launch, which comes here again. */
async function haveStaged(
  deps: ActivityDeps,
  compute: Compute,
  { hash, stageHash }: { hash: string; stageHash: string },
): Promise<void> {
  if (await compute.isStaged(stageHash)) return;
  deps.reach('workspace-missing');
  await compute.stage(stageHash, await deps.store.loadTaskFiles({ taskHash: hash, role: 'workspace' }));
}

function createStart(deps: ActivityDeps) {
  const onHost = async (
    { trialId, placement }: LaunchInput,
    lease: Lease,
    of?: { trial: Trial; research: Research },
  ): Promise<LaunchResult> => {
    const compute = deps.computeOf(lease.host);
    const { trial, research } = of ?? (await deps.store.loadTrialAndResearch(trialId));
    const version = await deps.store.loadTaskVersion(trial.taskHash);
    const { diskMb } = version.task.run.resources;
    const tooLittle = lacksMemory(version.task, deps.memoryOf(lease.host));
    // What is under way there already has what it took.
    if (tooLittle !== null && !(await deps.store.findRun({ trialId, placement })))
      throw ApplicationFailure.nonRetryable(tooLittle, 'TooLittleMemory');
    await requireRoom(deps, { trialId, placement }, { host: lease.host, fence: lease.fence, diskMb });
    // From here on others leave that room to it.
    if (trial.waitsFor !== null) await deps.store.noteWait({ trialId, waitsFor: null });
    deps.reach('room-counted');
    const isPrepared = version.task.setup === undefined || (await compute.isPrepared(version.stageHash));
    await haveStaged(deps, compute, version);
    if (!isPrepared) return { state: 'prepare', host: lease.host };
    if (!(await deps.store.beginRun({ trialId, placement, lease }))) {
      // A worker died when it had given this placement up, on another host or before it was ended there.
      const begun = await deps.store.findRun({ trialId, placement });
      if (begun && (begun.host !== lease.host || (begun.endedAt !== null && begun.end === null)))
        return giveUp(deps, { trialId, lease });
      throw fenced(trialId);
    }
    deps.reach('run-begun');
    const spec = await runSpecOf(deps, { trial, research, version, lease, placement });
    await compute.launch(spec);
    deps.reach('run-launched');
    if (!(await deps.store.markLaunched({ trialId, placement, fence: lease.fence }))) {
      await compute.kill({ trialId, placement }, lease.fence);
      throw fenced(trialId);
    }
    return { state: 'running', host: lease.host };
  };
  const counted = countDamages(deps);
  return (input: LaunchInput, lease: Lease, of?: { trial: Trial; research: Research }): Promise<LaunchResult> => {
    const on = { trialId: input.trialId, lease };
    return orElsewhere(deps, on, () => counted(on, () => onHost(input, lease, of)));
  };
}

export type LaunchActivities = ReturnType<typeof createLaunchActivities>;
