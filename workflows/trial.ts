import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  TemporalFailure,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  rootCause,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  FleetActivities,
  LaunchResult,
  MainActivities,
  WaitingActivities,
  ProposeActivities,
  ProposeResult,
  ScoreActivities,
} from '../activities/index.ts';
import { QUEUES, SIGNALS } from '../domain/names.ts';
import { PRIORITY } from '../domain/priority.ts';
import type { TrialEnded, TrialSpec } from '../domain/trial.ts';
import { localFirst } from './local-first.ts';
import { tellFloor } from './tell-floor.ts';
import { askAgainAfter, localOptions, optionsOf, relaunchAfter } from './timeouts.ts';

export interface TrialInput extends TrialSpec {
  researchId: string;
  taskName: string;
  /** Shortens every timeout, for tests. */
  tempo: number;
  /** The trial was under way before this workflow: it may hold a slot and a run. */
  adopted?: true;
  /** The proposal is made within a second; undefined where nobody knows. */
  proposesAtOnce?: boolean;
}

/** A run that its machine lost is placed once more; one that was disturbed twice more. */
const PLACEMENTS = { lost: 2, contended: 3 } as const;
/** Hosts that may fail under a trial before its run is followed; more is no luck. */
const MOVES = 20;
/**
 * A task is refused for good by three hosts, or all there are, asked three times at the least: an index may be away for a
 * while. Until then it may meet the same one so many times because the others are busy (eight hours of them).
 */
const REFUSALS = { hosts: 3, least: 3, most: 100 } as const;
/** Failed launches of a placement (about half a minute of them) after which people are told. */
const TELL_AFTER_LAUNCHES = 6;

/** One proposal to one verdict. Always writes an outcome before it tells its research and ends. */
export async function trial(input: TrialInput): Promise<TrialEnded> {
  tellFloor();
  const ended = await toOutcome(input);
  await CancellationScope.nonCancellable(() => report(input, ended));
  return ended;
}

async function toOutcome(input: TrialInput): Promise<TrialEnded> {
  const { slow } = optionsOf(input.tempo);
  try {
    return await runTrial(input);
  } catch (error) {
    // A bug fails the workflow task, which goes on once it is mended; only what an activity reported ends the trial.
    if (!(error instanceof TemporalFailure)) throw error;
    // A worker that dies over a cancelled activity lets it time out.
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    const why = isCancelled ? 'cancelled' : isSetupFailure(error) ? 'setup-failed' : 'failed';
    const { abandon } = proxyActivities<MainActivities>({ ...slow, summary: `abandon: ${why}` });
    const detail = why !== 'cancelled' ? (rootCause(error) ?? String(error)) : undefined;
    return CancellationScope.nonCancellable(() =>
      abandon({ trialId: input.trialId, why, ...(detail === undefined ? {} : { detail }) }),
    );
  }
}

const isSetupFailure = (error: TemporalFailure): boolean => causeOf(error)?.type === 'SetupFailedError';

async function runTrial(input: TrialInput): Promise<TrialEnded> {
  const { trialId } = input;
  const options = optionsOf(input.tempo);
  // An adopted one may have its proposal already; then this only tells whether it was seen before.
  if (input.kind === 'search') {
    const proposed = await proposeOnce(input);
    if (proposed.state === 'ended') return proposed.ended;
  }
  const { monitor } = proxyActivities<WaitingActivities>({ ...options.monitor, summary: `run #${input.n}` });
  const { score } = proxyActivities<ScoreActivities>({ ...options.score, summary: `score #${input.n}` });
  const { abandon } = proxyActivities<MainActivities>(options.slow);
  const held = input.adopted ? await takeUp(input) : { placement: 0, placed: false };
  /** Placements that came to nothing because their host failed first: no fault of the run. */
  let moves = held.placed || held.placement === 0 ? 0 : 1;
  const misses: LaunchResult[] = [];
  for (let { placement, placed } = held; ; placement += 1, placed = false) {
    const placing = placed ? undefined : await place(input, placement);
    if (placing?.state === 'elsewhere') {
      moves += 1;
      misses.push(placing);
      const refusals = misses.filter(({ refusal }) => refusal);
      const refusal = refusedFor(refusals);
      if (refusal) return abandon({ trialId, why: refusal.why, detail: refusal.detail });
      if (moves - refusals.length >= MOVES) return abandon({ trialId, why: 'machine-lost' });
      // The slot of a host that refuses is free again at once, and would be offered first.
      if (placing.refusal) await sleep(askAgainAfter(refusals.length, input.tempo));
      continue;
    }
    const followed = await monitor({ trialId, placement });
    if (followed.state === 'scored') return followed.ended;
    const { state } = followed;
    if (state === 'cancelled') return CancellationScope.nonCancellable(() => abandon({ trialId, why: 'cancelled' }));
    const ended = state === 'ended' ? await unlessHostLost(score({ trialId, placement })) : null;
    if (ended) return ended;
    const why = state === 'ended' ? 'lost' : state;
    if (placement - moves + 1 >= PLACEMENTS[why])
      return abandon({ trialId, why: why === 'lost' ? 'machine-lost' : 'contended' });
  }
}

/** Why hosts refused the trial, once that is no single host's doing. */
function refusedFor(refusals: LaunchResult[]): LaunchResult['refusal'] {
  const last = refusals.at(-1)?.refusal;
  const hosts = new Set(refusals.map(({ host }) => host)).size;
  const isEnough = refusals.length >= REFUSALS.least && hosts >= Math.min(REFUSALS.hosts, last?.hosts ?? 1);
  return isEnough || refusals.length >= REFUSALS.most ? last : undefined;
}

/** Null where the host went away for good before the run was scored. */
async function unlessHostLost(scored: Promise<TrialEnded>): Promise<TrialEnded | null> {
  try {
    return await scored;
  } catch (error) {
    const { type } = causeOf(error) ?? {};
    if (type === 'HostLost' || type === 'SlotGone') return null;
    throw error;
  }
}

const causeOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof TemporalFailure && error.cause instanceof ApplicationFailure ? error.cause : undefined;

/** A short proposal is made within the workflow task; a long one on a queue of its own. */
async function proposeOnce({ trialId, n, proposesAtOnce, tempo }: TrialInput): Promise<ProposeResult> {
  const { propose } = proxyActivities<ProposeActivities>({
    ...optionsOf(tempo).propose,
    summary: `propose #${n}`,
  });
  if (!proposesAtOnce) return propose({ trialId });
  const local = proxyLocalActivities<ProposeActivities>(localOptions(tempo));
  return localFirst(
    () => local.propose({ trialId }),
    () => propose({ trialId }),
  );
}

/** Waits for a slot in the queue's backlog and starts the run there, after the task's setup where the host lacks it. */
async function place(input: TrialInput, placement: number): Promise<LaunchResult> {
  const launched = await launchOnce(input, placement);
  return launched.state === 'prepare' ? setUp(input, { placement, host: launched.host }) : launched;
}

async function setUp({ trialId, tempo }: TrialInput, on: { placement: number; host: string }): Promise<LaunchResult> {
  const options = optionsOf(tempo);
  const { placement } = on;
  const { prepare } = proxyActivities<WaitingActivities>({ ...options.prepare, summary: `setup on ${on.host}` });
  const { start } = proxyActivities<MainActivities>(options.start);
  for (let setups = 1; ; setups += 1) {
    const prepared = await prepare({ trialId, placement });
    if (prepared.state === 'elsewhere') return prepared;
    const started = await start({ trialId, placement, setups });
    if (started.state === 'unleased') return { state: 'elsewhere', host: on.host };
    // Somebody may clear the host between the two; where that happens again and again, the start says so.
    if (started.state !== 'prepare') return started;
  }
}

/** Goes on with the slot and the run that the trial has from an earlier workflow, if any. */
async function takeUp(input: TrialInput): Promise<{ placement: number; placed: boolean }> {
  const options = optionsOf(input.tempo);
  const { resume } = proxyActivities<MainActivities>({ ...options.start, summary: `take up #${input.n}` });
  const held = await resume({ trialId: input.trialId });
  const { placement } = held;
  if (held.state === 'elsewhere') return { placement: placement + 1, placed: false };
  if (held.state === 'prepare' && (await setUp(input, { placement, host: held.host })).state === 'elsewhere')
    return { placement: placement + 1, placed: false };
  return { placement, placed: held.state !== 'unleased' };
}

/** Launches until it succeeds; whatever a failed launch has left, lease or run, is gone on with. */
async function launchOnce(input: TrialInput, placement: number): Promise<LaunchResult> {
  const { trialId, researchId, pool, kind, taskName, tempo } = input;
  const options = optionsOf(tempo);
  const { alert } = proxyActivities<MainActivities>(options.short);
  const { start } = proxyActivities<MainActivities>({ ...options.start, summary: 'take up a launch that failed' });
  const { launch } = proxyActivities<FleetActivities>({
    ...options.launch,
    taskQueue: QUEUES.fleet(pool),
    summary: placement === 0 ? `launch #${input.n}` : `launch #${input.n} once more`,
    priority: { priorityKey: PRIORITY[kind], fairnessKey: taskName.slice(0, 64) },
  });
  for (let failures = 0; ; failures += 1) {
    let why = '';
    try {
      return await launch({ trialId, placement });
    } catch (error) {
      if (isCancellation(error) || isFinal(error)) throw error;
      why = rootCause(error) ?? String(error);
    }
    const taken = await start({ trialId, placement });
    if (taken.state !== 'unleased') return taken;
    // One attempt each: nothing but this shows that launches go on failing.
    if (failures === TELL_AFTER_LAUNCHES)
      await alert({ researchId, message: `trial ${input.n} could not be launched ${failures + 1} times: ${why}` });
    await sleep(relaunchAfter(failures, tempo));
  }
}

/** A failure that no further launch can mend. */
const isFinal = (error: unknown): boolean =>
  !(error instanceof ActivityFailure) ||
  (error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true);

/**
 * The research that started this trial hears of its end from Temporal. After a hand-over another run is in charge: it is
 * told by a signal, by workflow id. A research that closed is no error.
 */
async function report({ researchId }: TrialInput, ended: TrialEnded): Promise<void> {
  if (ended.researchRun !== null && ended.researchRun === workflowInfo().parent?.runId) return;
  try {
    await getExternalWorkflowHandle(researchId).signal<[TrialEnded]>(SIGNALS.trialEnded, ended);
  } catch (error) {
    log.info('the research is closed; the outcome is in the database', { researchId, error: String(error) });
  }
}
