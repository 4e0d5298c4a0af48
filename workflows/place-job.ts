import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  rootCause,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow';
import type { FleetActivities, LaunchResult, MainActivities, WaitingActivities } from '../activities/index.ts';
import { QUEUES } from '../domain/messages/names.ts';
import { askAgainAfter, optionsOf, relaunchAfter } from './timeouts.ts';

/** A job that waits for a slot. */
export interface PlaceJobInput {
  /** Id of the job, which is the trial's id for a trial. */
  jobId: string;
  pool: string;
  /** Priority in the queue: 1 is first, 3 the default. Tasks with equal priority take turns. */
  priority: { priorityKey: number; fairnessKey: string };
  /** Name of the job in summaries of activities. */
  label: string;
  tempo: number;
  /** True if the job was under way before this workflow, so that it may hold a slot and a run. */
  adopted: boolean;
  /** First placement of a job that is not adopted, if earlier placements are over; default: 0. */
  first?: number;
  /** Failed launches of one placement after which the job counts as lost by its machine; default: no limit. */
  mostLaunches?: number;
  /** Wraps the wait for a slot, to do other work meanwhile; default: no other work. */
  whileQueued?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called once for a placement whose launches go on failing. */
  onFailing: (times: number, why: string) => Promise<void>;
}

/** Reason why a job is not placed again: machines lost it, or hosts refused its task. */
export type GivenUp = 'machine-lost' | 'contended' | NonNullable<LaunchResult['refusal']>['why'];

/** Reason why a followed run has no usable end. The machine is at fault in each case: the job is placed once more. */
export type Loss = 'lost' | 'gone' | 'contended';

/**
 * Steps of the calling workflow: `follow` for a started run, `giveUp` for a job that is not placed again. `again`: the
 * run ended, and the job has another one.
 */
export interface JobSteps<R> {
  follow: (placement: number) => Promise<{ done: R } | Loss | 'again'>;
  giveUp: (why: GivenUp, detail?: string) => Promise<R>;
}

/**
 * Losses of a kind after which a job is given up: runs that a machine lost and answers again, so that a candidate that
 * brings machines down ends, and contended runs.
 */
const LOSSES = { lost: 2, contended: 3 } as const;
/**
 * Moves to another host, after which the job counts as lost: so many are no coincidence. A job moves if its host fails
 * before the run is followed, or is gone for good later.
 */
const MOVES = 20;
/**
 * Refusals after which a task counts as refused: at least `least`, from `hosts` different hosts or from all there are,
 * since a package index may be away for a while. If other hosts are busy, the same host may refuse up to `most` times,
 * in eight hours.
 */
const REFUSALS = { hosts: 3, least: 3, most: 100 } as const;
/** Failed launches of a placement, about half a minute of them, after which `onFailing` is called. */
const TELL_AFTER_LAUNCHES = 6;

/** Places a job until one of its runs was followed to its end, or further placements are useless. */
export async function placeJob<R>(placing: PlaceJobInput, { follow, giveUp }: JobSteps<R>): Promise<R> {
  const { first = 0 } = placing;
  const held = placing.adopted ? await resumeJob(placing) : { placement: first, placed: false };
  let moves = 0;
  const losses = { lost: 0, contended: 0 };
  const refusals: LaunchResult[] = [];
  for (let { placement, placed } = held; ; placement += 1, placed = false) {
    const result = placed ? undefined : await launchOnSlot(placing, placement);
    if (result === null) return giveUp('machine-lost');
    if (result?.state === 'elsewhere' && result.refusal) {
      refusals.push(result);
      const refusal = finalRefusal(refusals);
      if (refusal) return giveUp(refusal.why, refusal.detail);
      // Without a pause, the freed slot of the host that refused would be offered first.
      await sleep(askAgainAfter(refusals.length, placing.tempo));
      continue;
    }
    const followed = result?.state === 'elsewhere' ? 'elsewhere' : await follow(placement);
    if (typeof followed !== 'string') return followed.done;
    if (followed === 'again') continue;
    if (followed === 'elsewhere' || followed === 'gone') {
      moves += 1;
      if (moves >= MOVES)
        return giveUp('machine-lost', result?.detail ?? `its last host is gone, after ${MOVES} moves`);
      continue;
    }
    losses[followed] += 1;
    if (losses[followed] >= LOSSES[followed]) return giveUp(followed === 'lost' ? 'machine-lost' : 'contended');
  }
}

/** The last refusal, once there are enough refusals by enough hosts; undefined before. */
function finalRefusal(refusals: LaunchResult[]): LaunchResult['refusal'] {
  const last = refusals.at(-1)?.refusal;
  const hosts = new Set(refusals.map(({ host }) => host)).size;
  const isEnough = refusals.length >= REFUSALS.least && hosts >= Math.min(REFUSALS.hosts, last?.hosts ?? 1);
  return isEnough || refusals.length >= REFUSALS.most ? last : undefined;
}

/**
 * Waits in the pool's queue for a slot and starts the run there, after the task's setup if the host lacks it. Null if
 * too many launches have failed.
 */
async function launchOnSlot(placing: PlaceJobInput, placement: number): Promise<LaunchResult | null> {
  const launched = await launchUntilStarted(placing, placement);
  return launched?.state === 'prepare' ? setUp(placing, { placement, host: launched.host }) : launched;
}

async function setUp(
  { jobId, tempo }: PlaceJobInput,
  { placement, host }: { placement: number; host: string },
): Promise<LaunchResult> {
  const options = optionsOf(tempo);
  const { prepare } = proxyActivities<WaitingActivities>({ ...options.prepare, summary: `setup on ${host}` });
  const { start } = proxyActivities<MainActivities>(options.start);
  for (let setups = 1; ; setups += 1) {
    const prepared = await prepare({ jobId, placement });
    if (prepared.state === 'elsewhere') return prepared;
    const started = await start({ jobId, placement, setups });
    if (started.state === 'unleased') return { state: 'elsewhere', host };
    // `prepare` again: the host was cleared in between. After too many setups, `start` throws.
    if (started.state !== 'prepare') return started;
  }
}

/** Continues with the slot and the run that the job has from an earlier workflow, if any. */
async function resumeJob(placing: PlaceJobInput): Promise<{ placement: number; placed: boolean }> {
  const options = optionsOf(placing.tempo);
  const { resume } = proxyActivities<MainActivities>({ ...options.start, summary: `resume ${placing.label}` });
  const held = await resume({ jobId: placing.jobId });
  const { placement } = held;
  if (held.state === 'elsewhere') return { placement: placement + 1, placed: false };
  if (held.state === 'prepare' && (await setUp(placing, { placement, host: held.host })).state === 'elsewhere')
    return { placement: placement + 1, placed: false };
  return { placement, placed: held.state !== 'unleased' };
}

/**
 * Launches until a launch succeeds, or too many have failed (null). Continues with a lease or run that a failed launch
 * left.
 */
async function launchUntilStarted(placing: PlaceJobInput, placement: number): Promise<LaunchResult | null> {
  const { jobId, pool, label, tempo, priority, mostLaunches = Infinity } = placing;
  const { whileQueued = (work) => work() } = placing;
  const options = optionsOf(tempo);
  const { start } = proxyActivities<MainActivities>({ ...options.start, summary: 'resume after a failed launch' });
  const { launch } = proxyActivities<FleetActivities>({
    ...options.launch,
    taskQueue: QUEUES.fleet(pool),
    summary: placement === 0 ? `launch ${label}` : `launch ${label} again`,
    priority,
  });
  for (let failures = 0; failures < mostLaunches; failures += 1) {
    let why = '';
    try {
      return await whileQueued(() => launch({ jobId, placement }));
    } catch (error) {
      if (isCancellation(error) || isFinal(error)) throw error;
      why = rootCause(error) ?? String(error);
    }
    const taken = await start({ jobId, placement });
    if (taken.state !== 'unleased') return taken;
    // Each launch has one attempt, so the Web UI shows no retries; this alone shows that launches go on failing.
    if (failures === TELL_AFTER_LAUNCHES) await placing.onFailing(failures + 1, why);
    await sleep(relaunchAfter(failures, tempo));
  }
  return null;
}

/** True for a failure after which a further launch is useless. */
const isFinal = (error: unknown): boolean =>
  !(error instanceof ActivityFailure) ||
  (error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true);

/** The failure that an activity threw; undefined for any other error. */
export const causeOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof TemporalFailure && error.cause instanceof ApplicationFailure ? error.cause : undefined;

const isSetupFailure = (error: TemporalFailure): boolean => causeOf(error)?.type === 'SetupFailedError';

/** Reason for the end of a job after a failure for which another machine is no remedy. */
export function whyOf(error: TemporalFailure): 'setup-failed' | 'tools-missing' | 'database-failed' | 'failed' {
  if (isSetupFailure(error)) return 'setup-failed';
  if (causeOf(error)?.type === 'RefusedByDatabase') return 'database-failed';
  return causeOf(error)?.type === 'ToolsMissing' ? 'tools-missing' : 'failed';
}
