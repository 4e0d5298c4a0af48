import { setTimeout as sleep } from 'node:timers/promises';
import { proposalJobOf } from '../domain/agent/proposal-job.ts';
import { log } from '@temporalio/activity';
import type { AbandonedLease } from '../db/slot/abandoned-leases.ts';
import { SETUP_FAILED, SETUP_MESSAGE, STORE_FAILED, STORE_MESSAGE } from '../domain/research/hold.ts';
import { trialIdOf } from '../domain/trial/ids.ts';
import type { TrialEnded, TrialSpec } from '../domain/trial.ts';
import type { ActivityDeps } from './deps.ts';
import { settle } from './outcome/settle.ts';
import { wrapInHeartbeat, withHeartbeat } from './with-heartbeat.ts';
import { hasUnread } from './research/fill-knobs.ts';
import { endRun } from './run/end-run.ts';
import { createEndJob } from './job.ts';

/** Longest time for all repairs of one call: killing leftover runs may take long, and the activity has two minutes. */
const LONGEST_REPAIR_MS = 60_000;

/** Times that a call depends on; tests set their own. */
interface Clock {
  /** Resolves once repairs have taken long enough. */
  deadline: () => Promise<unknown>;
  /** Seconds since this worker started. */
  upSeconds: () => number;
}

const CLOCK: Clock = {
  deadline: () => sleep(LONGEST_REPAIR_MS, undefined, { ref: false }),
  upSeconds: () => performance.now() / 1000,
};

type InTime = (repair: Promise<unknown>) => Promise<void>;

/**
 * Waits for a repair up to the deadline. A repair that takes longer goes on, and the next call finds it again if
 * needed.
 */
const within =
  (deadline: Promise<unknown>): InTime =>
  async (repair) => {
    await Promise.race([repair, deadline]);
  };

export interface ReconcileInput {
  researchId: string;
  /** Trials that are under way for the workflow. */
  ns: number[];
  /** Run id of the workflow, if it takes charge of the research with this call. */
  runId?: string;
  /** Pool of the research now. */
  pool: string;
}

export interface Reconciled {
  /** Trials with an outcome in the database: their signal was lost, or this call ended them. */
  ended: TrialEnded[];
  /** Trials to start: under way in the database, and unknown to Temporal or to the workflow. */
  missing: TrialSpec[];
  endpointDown: string | null;
  /** Slots of the pool, at least 1. */
  slots: number;
  /** True if candidates of an older version have knobs that are not stored yet. */
  unread: boolean;
}

export const createReconcileActivities = (deps: ActivityDeps, { deadline, upSeconds }: Clock = CLOCK) => {
  const abandon = createAbandon(deps);
  /** Frees slots that no workflow will free. `callerId`: the research or job that calls. */
  const freeLeaked = async (callerId: string, inTime: InTime): Promise<void> => {
    await inTime(freeStaleLeases(deps, callerId));
    await inTime(endForsaken(deps, { researchId: callerId, abandon, upSeconds: upSeconds() }));
  };
  const reconcile = async ({ researchId, ns, runId, pool }: ReconcileInput): Promise<Reconciled> => {
    if (runId !== undefined) await deps.store.research.recordWorkflowRun({ researchId, runId });
    const inTime = within(deadline());
    await freeLeaked(researchId, inTime);
    const ended = await deps.store.trial.findOutcomes({ researchId, ns });
    const open = ns.filter((n) => !ended.some((trial) => trial.n === n));
    const states = await Promise.all(
      open.map(async (n) => ({ n, state: await deps.temporal.describeWorkflow(trialIdOf(researchId, n)) })),
    );
    const end = async (n: number): Promise<void> => {
      ended.push(await abandon({ trialId: trialIdOf(researchId, n), why: 'closed' }));
    };
    const closed = states.filter(({ state }) => state === 'closed');
    await inTime(Promise.all(closed.map(({ n }) => orAlert(deps, researchId, () => end(n)))));
    const unknown = new Set(states.filter(({ state }) => state === 'unknown').map(({ n }) => n));
    const unfinished = await deps.store.research.findUnfinished(researchId);
    const research = await deps.store.research.findResearch(researchId);
    return {
      // A copy: an end that comes after the deadline is reported by the next call.
      ended: [...ended],
      missing: unfinished.filter(({ n }) => !ns.includes(n) || unknown.has(n)),
      endpointDown: research?.endpointDown ?? null,
      slots: Math.max(1, await deps.pools.slotsOf(pool)),
      unread: research !== undefined && (await hasUnread(deps, research)),
    };
  };
  return {
    /** Compares the trials in flight with the database and with Temporal, and repairs differences. */
    reconcile: async (input: ReconcileInput): Promise<Reconciled> => withHeartbeat(() => reconcile(input)),

    /** Frees slots that no workflow will free, as `reconcile` does, for a job that waits for a slot. */
    sweep: wrapInHeartbeat(async ({ jobId }: { jobId: string }): Promise<void> =>
      freeLeaked(jobId, within(deadline())),
    ),

    /** Reads stored outcomes. The content of a signal that reports an outcome is not trusted. */
    findOutcomes: async (input: { researchId: string; ns: number[] }): Promise<TrialEnded[]> =>
      deps.store.trial.findOutcomes(input),

    /** Ends a trial without a score: kills what runs, frees the slot, stores the outcome. */
    abandon: wrapInHeartbeat(abandon),
  };
};

const REASONS = {
  closed: { status: 'lost', label: 'workflow-closed', message: 'its workflow closed before it had an outcome' },
  cancelled: { status: 'aborted', label: 'stopped-by-operator', message: 'stopped by a person' },
  'machine-lost': {
    status: 'lost',
    label: 'machine-lost',
    message: 'its hosts lost the run more than once (their state: npx perpetua fleet)',
  },
  contended: {
    status: 'lost',
    label: 'contended',
    message:
      'other processes kept its runs from a CPU in three placements; free cores, or use fewer slots ' +
      '(PERPETUA_SLOTS, or the fleet)',
  },
  'setup-failed': { status: 'lost', label: SETUP_FAILED, message: SETUP_MESSAGE },
  'tools-missing': {
    status: 'lost',
    label: 'launch-failed',
    message:
      'its host lacks what the task names in requires, run.path or run.readable ' +
      '(state of the hosts: npx perpetua fleet)',
  },
  'database-failed': { status: 'lost', label: STORE_FAILED, message: STORE_MESSAGE },
  failed: {
    status: 'lost',
    label: 'infrastructure',
    message: 'Perpetua could not carry out the trial (see worker.log)',
  },
} as const;

export interface AbandonInput {
  trialId: string;
  why: keyof typeof REASONS;
  detail?: string;
}

type Abandon = (input: AbandonInput) => Promise<TrialEnded>;

function createAbandon(deps: ActivityDeps): Abandon {
  const endJob = createEndJob(deps);
  return async ({ trialId, why, detail }: AbandonInput): Promise<TrialEnded> => {
    const trial = await deps.store.trial.loadTrial(trialId);
    const { status, label, message } = REASONS[why];
    const cause = detail ?? (why === 'machine-lost' ? await shortageOfLast(deps, trial) : null);
    const ended = await settle(deps.store, {
      trialId,
      researchId: trial.researchId,
      status,
      failure: { label, message: cause ? `${message}: ${cause}`.slice(0, 2000) : message },
      value: null,
      metrics: {},
      evaluatorNotes: null,
      trusted: true,
    });
    deps.reach('abandoned');
    // Read again: the trial may have been placed once more before its outcome. A launch still under way finds the
    // outcome and stops.
    const { placement } = await deps.store.trial.loadTrial(trialId);
    await endRun(deps, { jobId: trialId, placement });
    await endJob({ jobId: proposalJobOf(trialId), why: 'cancelled', detail: null });
    return ended;
  };
}

/** Stored shortage of the host of the trial's last run; null if none was found. */
async function shortageOfLast(deps: ActivityDeps, trial: { id: string; placement: number }): Promise<string | null> {
  return (await deps.store.run.findRun({ jobId: trial.id, placement: trial.placement }))?.shortage ?? null;
}

/** Frees leases of trials that have an outcome: the worker that should have freed them died. */
async function freeStaleLeases(deps: ActivityDeps, researchId: string): Promise<void> {
  const stale = await deps.store.run.findStaleLeases();
  await Promise.all(stale.map((lease) => orAlert(deps, researchId, () => endRun(deps, lease))));
}

/**
 * Ends trials and jobs of other researches that hold a lease although their workflows are closed, for example because a
 * person terminated research and trial during a launch: nothing else would free that slot. A lease whose research or
 * trial is open in Temporal is left alone.
 */
async function endForsaken(
  deps: ActivityDeps,
  { researchId, abandon, upSeconds }: { researchId: string; abandon: Abandon; upSeconds: number },
): Promise<void> {
  const endJob = createEndJob(deps);
  const end = async (lease: AbandonedLease): Promise<void> => {
    const { researchId, jobId, isSilent } = lease;
    const states = await Promise.all([researchId ?? jobId, jobId].map(deps.temporal.describeWorkflow));
    if (states.includes('open')) return;
    // Temporal's file may be new, with workflows that are about to be started again.
    if (states.includes('unknown') && !isSilent) return;
    if (researchId !== null) await abandon({ trialId: jobId, why: 'closed' });
    else await endJob({ jobId, why: 'failed', detail: 'its workflow was closed before it ended' });
  };
  const forsaken = await deps.store.slot.findAbandonedLeases({ researchId, upSeconds });
  await Promise.all(forsaken.map((lease) => orAlert(deps, researchId, () => end(lease))));
}

/** Runs one repair and turns its failure, such as a host that is gone, into an alert: other repairs must go on. */
async function orAlert(deps: ActivityDeps, researchId: string, repair: () => Promise<void>): Promise<void> {
  try {
    await repair();
  } catch (error) {
    const message = `reconcile: ${error instanceof Error ? error.message : String(error)}`;
    log.warn('could not repair what an earlier run left', { by: researchId, message });
    // Once: each call finds the same leftover again. If a job called, no research has this id, and no alert is stored.
    await deps.store.research.insertAlert({ researchId, message, once: true });
  }
}
