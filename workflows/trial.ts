import {
  CancellationScope,
  TemporalFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  rootCause,
  sleep,
} from '@temporalio/workflow';
import type {
  MainActivities,
  PreflightActivities,
  PreflightResult,
  WaitingActivities,
  ProposeActivities,
  ProposeResult,
  ScoreActivities,
} from '../activities/index.ts';
import type { JobEnding } from '../domain/job/ended.ts';
import { SIGNALS } from '../domain/messages/names.ts';
import { isTaskCheck } from '../domain/research/check-id.ts';
import { PRIORITY } from '../domain/trial/priority.ts';
import type { TrialEnded, TrialSpec } from '../domain/trial.ts';
import { placeJob, causeOf, type Loss, type PlaceJobInput, whyOf } from './place-job.ts';
import { writeFloorMemo } from './write-floor-memo.ts';
import { signalResearch } from './signal-research.ts';
import { askAgainAfter, localOptions, optionsOf } from './timeouts.ts';

export interface TrialInput extends TrialSpec {
  researchId: string;
  taskName: string;
  /** Shortens every timeout, for tests. */
  tempo: number;
  /** True if the trial was under way before this workflow, so that it may hold a slot and a run. */
  adopted?: true;
  /** True if the proposal may be made inside a workflow task; undefined: not known (adopted trial). */
  proposesAtOnce?: boolean;
}

/** Carries one trial from proposal to verdict. Stores an outcome before it signals its research. */
export async function trial(input: TrialInput): Promise<TrialEnded> {
  writeFloorMemo();
  const ended = await toOutcome(input);
  const { researchRun } = ended;
  await CancellationScope.nonCancellable(() =>
    signalResearch({ researchId: input.researchId, researchRun }, { signal: SIGNALS.trialEnded, args: [ended] }),
  );
  return ended;
}

async function toOutcome(input: TrialInput): Promise<TrialEnded> {
  const { slow } = optionsOf(input.tempo);
  try {
    return await runTrial(input);
  } catch (error) {
    // A bug fails the workflow task until it is fixed. Only a failure of Temporal, such as an activity's, ends the
    // trial.
    if (!(error instanceof TemporalFailure)) throw error;
    // If a worker dies during a cancelled activity, the activity ends by its timeout, not as cancelled.
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    const why = isCancelled ? 'cancelled' : whyOf(error);
    const { abandon } = proxyActivities<MainActivities>({ ...slow, summary: `abandon: ${why}` });
    const detail = why !== 'cancelled' ? (rootCause(error) ?? String(error)) : undefined;
    return CancellationScope.nonCancellable(() =>
      abandon({ trialId: input.trialId, why, ...(detail === undefined ? {} : { detail }) }),
    );
  }
}

async function runTrial(input: TrialInput): Promise<TrialEnded> {
  const { trialId } = input;
  const options = optionsOf(input.tempo);
  // An adopted trial may have its proposal; then this call only checks for an earlier duplicate.
  if (input.kind === 'search' || input.kind === 'evaluation') {
    const proposed = await proposeOnce(input);
    if (proposed.state === 'ended') return proposed.ended;
    const checked = proposed.preflight === true ? await preflightOnce(input) : null;
    if (checked?.state === 'ended') return checked.ended;
  }
  if (input.kind === 'baseline' && isTaskCheck(input.researchId)) {
    const checked = await preflightOnce(input);
    if (checked.state === 'ended') return checked.ended;
  }
  const { monitor } = proxyActivities<WaitingActivities>({ ...options.monitor, summary: `run #${input.n}` });
  const { score } = proxyActivities<ScoreActivities>({ ...options.score, summary: `score #${input.n}` });
  const { abandon } = proxyActivities<MainActivities>(options.slow);
  return placeJob<TrialEnded>(placingOf(input), {
    follow: async (placement) => {
      const followed = await monitor({ jobId: trialId, placement });
      if (followed.state === 'scored') return { done: followed.ended };
      const { state } = followed;
      if (state === 'cancelled')
        return { done: await CancellationScope.nonCancellable(() => abandon({ trialId, why: 'cancelled' })) };
      if (state !== 'ended') return state;
      return orLoss(score({ jobId: trialId, placement }));
    },
    giveUp: (why, detail) => abandon({ trialId, why, ...(detail === undefined ? {} : { detail }) }),
  });
}

/** Checks the candidate before it takes a slot. */
function preflightOnce({ trialId, n, tempo }: TrialInput): Promise<PreflightResult> {
  const { preflight } = proxyActivities<PreflightActivities>({
    ...optionsOf(tempo).score,
    summary: `preflight #${n}`,
  });
  return preflight({ trialId });
}

function placingOf({ trialId, researchId, n, kind, pool, taskName, tempo, adopted }: TrialInput): PlaceJobInput {
  const { alert } = proxyActivities<MainActivities>(optionsOf(tempo).short);
  return {
    jobId: trialId,
    pool,
    tempo,
    label: `#${n}`,
    adopted: adopted === true,
    priority: { priorityKey: PRIORITY[kind], fairnessKey: taskName.slice(0, 64) },
    onFailing: (times, why) =>
      alert({ researchId, message: `trial ${n} waits for its launch, which failed ${times} times: ${why}` }),
  };
}

/** The result of scoring, or the loss of the run before it was scored. */
async function orLoss(scored: Promise<TrialEnded>): Promise<{ done: TrialEnded } | Loss> {
  try {
    return { done: await scored };
  } catch (error) {
    const { type } = causeOf(error) ?? {};
    if (type === 'HostGone') return 'gone';
    if (type === 'HostLost' || type === 'SlotGone') return 'lost';
    throw error;
  }
}

type Proposed = Exclude<ProposeResult, { state: 'queued' | 'job' }>;

/**
 * Makes the proposal: inside the workflow task if its proposer is quick, otherwise on the queue of proposals, or in a
 * job of its own.
 */
async function proposeOnce(input: TrialInput): Promise<Proposed> {
  const { trialId, n, proposesAtOnce, tempo } = input;
  const { propose } = proxyActivities<ProposeActivities>({
    ...optionsOf(tempo).propose,
    summary: `propose #${n}`,
  });
  const queued = async (): Promise<Proposed> => {
    for (;;) {
      const proposed = await propose({ trialId });
      if (proposed.state === 'queued') throw new Error('expected a proposal from its queue, got none');
      if (proposed.state !== 'job') return proposed;
      await runProposalJob(input, proposed);
    }
  };
  if (!proposesAtOnce) return queued();
  const local = proxyLocalActivities<ProposeActivities>(localOptions(tempo));
  const proposed = await localFirst<ProposeResult>(() => local.propose({ trialId, atOnce: true }), queued);
  return proposed.state === 'queued' || proposed.state === 'job' ? queued() : proposed;
}

/** Runs the job that makes a proposal to its end, and closes it; the next `propose` reads what it left. */
async function runProposalJob(input: TrialInput, { jobId, pool }: { jobId: string; pool: string }): Promise<void> {
  const options = optionsOf(input.tempo);
  const { monitor } = proxyActivities<WaitingActivities>({ ...options.monitor, summary: `agent of #${input.n}` });
  const { reviewAgent } = proxyActivities<ProposeActivities>({
    ...options.propose,
    summary: `review the agent of #${input.n}`,
  });
  const { endJob } = proxyActivities<MainActivities>(options.slow);
  let outages = 0;
  /** True if the agent runs once more, after a pause: its endpoint was down. */
  const runsAgain = async (placement: number): Promise<boolean> => {
    const run = { trialId: input.trialId, jobId, placement };
    if ((await reviewAgent(run)) === 'over') return false;
    outages += 1;
    await sleep(askAgainAfter(outages, input.tempo));
    // A person may be stopping the research meanwhile.
    return (await reviewAgent(run)) === 'again';
  };
  const close = (ending: JobEnding) => CancellationScope.nonCancellable(() => endJob({ jobId, ...ending }));
  const ending = await placeJob<JobEnding>(
    { ...placingOf(input), jobId, pool, label: `the agent of #${input.n}`, adopted: true },
    {
      follow: async (placement) => {
        const { state } = await monitor({ jobId, placement });
        if (state === 'lost' || state === 'gone' || state === 'contended') return state;
        if (state === 'ended' && (await runsAgain(placement))) return 'again';
        return { done: { why: state === 'cancelled' ? 'cancelled' : 'ended', detail: null } };
      },
      giveUp: (why, detail) => Promise.resolve({ why, detail: detail ?? null }),
    },
  ).catch(async (error: unknown) => {
    if (error instanceof TemporalFailure) await close({ why: 'failed', detail: rootCause(error) ?? String(error) });
    throw error;
  });
  await close(ending);
}

/**
 * Does short work inside the workflow task, which saves a round trip through the server. If that fails, an ordinary
 * activity does it, which waits, retries, and shows in the Web UI. Both must use the same key, so that the work is done
 * once.
 */
async function localFirst<R>(local: () => Promise<R>, ordinary: () => Promise<R>): Promise<R> {
  try {
    return await local();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return ordinary();
  }
}
