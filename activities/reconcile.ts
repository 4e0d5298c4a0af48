import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { AbandonedLease } from '../db/slot/abandoned-leases.ts';
import { trialIdOf } from '../domain/trial/ids.ts';
import type { TrialEnded, TrialSpec } from '../domain/trial.ts';
import type { ActivityDeps } from './deps.ts';
import { settle } from './outcome/settle.ts';
import { wrapInHeartbeat, withHeartbeat } from './with-heartbeat.ts';
import { hasUnread } from './research/fill-knobs.ts';
import { endRun } from './run/end-run.ts';
import { createEndJob } from './job.ts';

/** For all that a look mends: killing what was left running may take long, and the look itself has two minutes. */
const LONGEST_MENDING_MS = 60_000;

/** What a look goes by of time; tests have their own. */
interface Clock {
  /** Fulfilled once a look has mended for long enough. */
  deadline: () => Promise<unknown>;
  /** Seconds that this worker is there. */
  upSeconds: () => number;
}

const CLOCK: Clock = {
  deadline: () => sleep(LONGEST_MENDING_MS, undefined, { ref: false }),
  upSeconds: () => performance.now() / 1000,
};

type InTime = (mending: Promise<unknown>) => Promise<void>;

/** What takes longer goes on, and is looked at again next time. */
const within =
  (over: Promise<unknown>): InTime =>
  async (mending) =>
    void (await Promise.race([mending, over]));

export interface ReconcileInput {
  researchId: string;
  /** Trials that the workflow believes to be under way. */
  ns: number[];
  /** Run id of the workflow, where it is in charge from here on. */
  runId?: string;
  /** Where the research runs now. */
  pool: string;
}

export interface Reconciled {
  /** Ended in the database: their signal was lost, or they had to be ended here. */
  ended: TrialEnded[];
  /** Under way in the database, and unknown to Temporal or to the workflow: to be started. */
  missing: TrialSpec[];
  endpointDown: string | null;
  /** Slots of the pool, at least 1. */
  slots: number;
  /** Candidates of an older version have knobs that nobody has read. */
  unread: boolean;
}

export const createReconcileActivities = (deps: ActivityDeps, { deadline, upSeconds }: Clock = CLOCK) => {
  const abandon = createAbandon(deps);
  /** Frees slots that nobody else would; `by` is who looks, a research or a job. */
  const freeLeaked = async (by: string, inTime: InTime): Promise<void> => {
    await inTime(freeStaleLeases(deps, by));
    await inTime(endForsaken(deps, { researchId: by, abandon, upSeconds: upSeconds() }));
  };
  const look = async ({ researchId, ns, runId, pool }: ReconcileInput): Promise<Reconciled> => {
    if (runId !== undefined) await deps.store.research.recordWorkflowRun({ researchId, runId });
    const inTime = within(deadline());
    await freeLeaked(researchId, inTime);
    const ended = await deps.store.trial.findOutcomes({ researchId, ns });
    const open = ns.filter((n) => !ended.some((trial) => trial.n === n));
    const states = await Promise.all(
      open.map(async (n) => ({ n, state: await deps.temporal.describeWorkflow(trialIdOf(researchId, n)) })),
    );
    const end = async (n: number): Promise<void> =>
      void ended.push(await abandon({ trialId: trialIdOf(researchId, n), why: 'closed' }));
    const closed = states.filter(({ state }) => state === 'closed');
    await inTime(Promise.all(closed.map(({ n }) => orAlert(deps, researchId, () => end(n)))));
    const unknown = new Set(states.filter(({ state }) => state === 'unknown').map(({ n }) => n));
    const unfinished = await deps.store.research.findUnfinished(researchId);
    const research = await deps.store.research.findResearch(researchId);
    return {
      // A copy: an ending that takes longer is told of next time.
      ended: [...ended],
      missing: unfinished.filter(({ n }) => !ns.includes(n) || unknown.has(n)),
      endpointDown: research?.endpointDown ?? null,
      slots: Math.max(1, await deps.pools.slotsOf(pool)),
      unread: research !== undefined && (await hasUnread(deps, research)),
    };
  };
  return {
    /** Compares the trials in flight with the database and with Temporal, and mends what differs. */
    reconcile: async (input: ReconcileInput): Promise<Reconciled> => withHeartbeat(() => look(input)),

    /** Frees slots that nobody else would, as a look does, for a job that waits for one. */
    sweep: wrapInHeartbeat(async ({ jobId }: { jobId: string }): Promise<void> =>
      freeLeaked(jobId, within(deadline())),
    ),

    /** Outcomes as they are stored: a signal that tells of one is not believed. */
    findOutcomes: async (input: { researchId: string; ns: number[] }): Promise<TrialEnded[]> =>
      deps.store.trial.findOutcomes(input),

    /** Ends a trial without a score: kills what runs, frees the slot, stores the outcome. */
    abandon: wrapInHeartbeat(abandon),
  };
};

const REASONS = {
  closed: { status: 'lost', label: 'workflow-closed', message: 'its workflow was closed before it had an outcome' },
  cancelled: { status: 'aborted', label: 'stopped-by-operator', message: 'stopped by a person' },
  'machine-lost': {
    status: 'lost',
    label: 'machine-lost',
    message: 'the machines that it was placed on lost it more than once',
  },
  contended: {
    status: 'lost',
    label: 'contended',
    message:
      'it never had its core to itself; free cores, lower PERPETUA_SLOTS, or measure by wall clock (run.budget.kind: wall)',
  },
  'setup-failed': {
    status: 'lost',
    label: 'setup-failed',
    message: 'its machine could not be prepared for its task',
  },
  'tools-missing': {
    status: 'lost',
    label: 'launch-failed',
    message: 'its machine lacks what the task names in requires, run.path or run.readable',
  },
  failed: { status: 'lost', label: 'infrastructure', message: 'the platform could not carry it out' },
} as const;

export interface AbandonInput {
  trialId: string;
  why: keyof typeof REASONS;
  detail?: string;
}

type Abandon = (input: AbandonInput) => Promise<TrialEnded>;

const createAbandon =
  (deps: ActivityDeps): Abandon =>
  async ({ trialId, why, detail }: AbandonInput): Promise<TrialEnded> => {
    const trial = await deps.store.trial.loadTrial(trialId);
    const { status, label, message } = REASONS[why];
    const words = detail ?? (why === 'machine-lost' ? await shortageOfLast(deps, trial) : null);
    const ended = await settle(deps.store, {
      trialId,
      researchId: trial.researchId,
      status,
      failure: { label, message: words ? `${message}: ${words}`.slice(0, 2000) : message },
      value: null,
      metrics: {},
      evaluatorNotes: null,
      trusted: true,
    });
    deps.reach('abandoned');
    // After the outcome, up to which it may have been placed once more: a launch that is still under way sees it and gives up.
    const { placement } = await deps.store.trial.loadTrial(trialId);
    await endRun(deps, { trialId, placement });
    return ended;
  };

/** What the machine of its last run lacked, where that was found out. */
async function shortageOfLast(deps: ActivityDeps, trial: { id: string; placement: number }): Promise<string | null> {
  return (await deps.store.run.findRun({ trialId: trial.id, placement: trial.placement }))?.shortage ?? null;
}

/** A lease whose trial has an outcome: whoever should have freed it died in between. */
async function freeStaleLeases(deps: ActivityDeps, researchId: string): Promise<void> {
  const stale = await deps.store.run.findStaleLeases();
  await Promise.all(stale.map((lease) => orAlert(deps, researchId, () => endRun(deps, lease))));
}

/**
 * A lease of another research that was closed together with its trial (a person terminated both while it was launched):
 * nobody else would ever free that slot. What is open in Temporal, research or trial, is left alone.
 */
async function endForsaken(
  deps: ActivityDeps,
  { researchId, abandon, upSeconds }: { researchId: string; abandon: Abandon; upSeconds: number },
): Promise<void> {
  const endJob = createEndJob(deps);
  const end = async (lease: AbandonedLease): Promise<void> => {
    const { researchId, trialId, isSilent } = lease;
    const states = await Promise.all([researchId ?? trialId, trialId].map(deps.temporal.describeWorkflow));
    if (states.includes('open')) return;
    // Temporal's file may be a new one, whose workflows are about to be started again.
    if (states.includes('unknown') && !isSilent) return;
    if (researchId !== null) await abandon({ trialId, why: 'closed' });
    else await endJob({ jobId: trialId, why: 'failed', detail: 'its workflow was closed before it ended' });
  };
  const forsaken = await deps.store.slot.findAbandonedLeases({ researchId, upSeconds });
  await Promise.all(forsaken.map((lease) => orAlert(deps, researchId, () => end(lease))));
}

/** One trial that cannot be mended (its host is gone) must not keep the others from it: it is shown, and tried again. */
async function orAlert(deps: ActivityDeps, researchId: string, mend: () => Promise<void>): Promise<void> {
  try {
    await mend();
  } catch (error) {
    const message = `reconcile: ${error instanceof Error ? error.message : String(error)}`;
    log.warn('what was left could not be mended', { by: researchId, message });
    // Each look finds it again. A job that looks has no alerts.
    await deps.store.research.insertAlert({ researchId, message, once: true });
  }
}
