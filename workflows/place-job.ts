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

/** A job that waits for a place to run. */
export interface PlaceJobInput {
  /** Of any job; a trial's is the trial's. */
  trialId: string;
  pool: string;
  /** 1 is first, 3 the default; of equals each task has its turn. */
  priority: { priorityKey: number; fairnessKey: string };
  /** Names it in summaries of activities. */
  label: string;
  tempo: number;
  /** It was under way before this workflow: it may hold a slot and a run. */
  adopted: boolean;
  /** Of one that was not: its first placement, where those before are over; default: 0. */
  first?: number;
  /** Launches of one placement that may fail before it is given up as if its machine had lost it; default: any number. */
  mostLaunches?: number;
  /** Does the waiting for a slot; default: nothing beside it. */
  whileQueued?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Told once of a placement whose launches go on failing. */
  onFailing: (times: number, why: string) => Promise<void>;
}

/** Why nothing came of a job: its machines lost it, or its task was refused. */
export type GivenUp = 'machine-lost' | 'contended' | NonNullable<LaunchResult['refusal']>['why'];

/** Steps of the workflow itself, for a run that was started and for a job that is given up. */
export interface JobSteps<R> {
  /** `lost` and `contended` are the machine's fault: the job is placed once more. */
  follow: (placement: number) => Promise<{ done: R } | 'lost' | 'contended'>;
  giveUp: (why: GivenUp, detail?: string) => Promise<R>;
}

/** A run that its machine lost is placed once more; one that was disturbed twice more. */
const PLACEMENTS = { lost: 2, contended: 3 } as const;
/** Hosts that may fail under a job before its run is followed; more is no luck. */
const MOVES = 20;
/**
 * A task is refused for good by three hosts, or all there are, asked three times at the least: an index may be away for a
 * while. Until then it may meet the same one so many times because the others are busy (eight hours of them).
 */
const REFUSALS = { hosts: 3, least: 3, most: 100 } as const;
/** Failed launches of a placement (about half a minute of them) after which people are told. */
const TELL_AFTER_LAUNCHES = 6;

/** Places a job until a run of it was followed to its end, or there is no more sense in it. */
export async function placeJob<R>(placing: PlaceJobInput, { follow, giveUp }: JobSteps<R>): Promise<R> {
  const { first = 0 } = placing;
  const held = placing.adopted ? await takeUp(placing) : { placement: first, placed: false };
  /** Placements that came to nothing because their host failed first: no fault of the run. */
  let moves = held.placed || held.placement === first ? 0 : 1;
  const misses: LaunchResult[] = [];
  for (let { placement, placed } = held; ; placement += 1, placed = false) {
    const result = placed ? undefined : await place(placing, placement);
    if (result === null) return giveUp('machine-lost');
    if (result?.state === 'elsewhere') {
      moves += 1;
      misses.push(result);
      const refusals = misses.filter(({ refusal }) => refusal);
      const refusal = refusedFor(refusals);
      if (refusal) return giveUp(refusal.why, refusal.detail);
      if (moves - refusals.length >= MOVES) return giveUp('machine-lost', result.detail);
      // The slot of a host that refuses is free again at once, and would be offered first.
      if (result.refusal) await sleep(askAgainAfter(refusals.length, placing.tempo));
      continue;
    }
    const followed = await follow(placement);
    if (typeof followed !== 'string') return followed.done;
    if (placement - first - moves + 1 >= PLACEMENTS[followed])
      return giveUp(followed === 'lost' ? 'machine-lost' : 'contended');
  }
}

/** Why hosts refused the job, once that is no single host's doing. */
function refusedFor(refusals: LaunchResult[]): LaunchResult['refusal'] {
  const last = refusals.at(-1)?.refusal;
  const hosts = new Set(refusals.map(({ host }) => host)).size;
  const isEnough = refusals.length >= REFUSALS.least && hosts >= Math.min(REFUSALS.hosts, last?.hosts ?? 1);
  return isEnough || refusals.length >= REFUSALS.most ? last : undefined;
}

/**
 * Waits for a slot in the queue's backlog and starts the run there, after the task's setup where the host lacks it. Null where
 * too many launches have failed.
 */
async function place(placing: PlaceJobInput, placement: number): Promise<LaunchResult | null> {
  const launched = await launchOnce(placing, placement);
  return launched?.state === 'prepare' ? setUp(placing, { placement, host: launched.host }) : launched;
}

async function setUp(
  { trialId, tempo }: PlaceJobInput,
  on: { placement: number; host: string },
): Promise<LaunchResult> {
  const options = optionsOf(tempo);
  const { placement } = on;
  const { prepare } = proxyActivities<WaitingActivities>({ ...options.prepare, summary: `setup on ${on.host}` });
  const { start } = proxyActivities<MainActivities>(options.start);
  for (let setups = 1; ; setups += 1) {
    const prepared = await prepare({ trialId, placement });
    if (prepared.state === 'elsewhere') return prepared;
    const started = await start({ trialId, placement, setups });
    if (started.state === 'unleased') return { state: 'elsewhere', host: on.host };
    // The host may be cleared between the two; where that happens again and again, the start says so.
    if (started.state !== 'prepare') return started;
  }
}

/** Goes on with the slot and the run that the job has from an earlier workflow, if any. */
async function takeUp(placing: PlaceJobInput): Promise<{ placement: number; placed: boolean }> {
  const options = optionsOf(placing.tempo);
  const { resume } = proxyActivities<MainActivities>({ ...options.start, summary: `take up ${placing.label}` });
  const held = await resume({ trialId: placing.trialId });
  const { placement } = held;
  if (held.state === 'elsewhere') return { placement: placement + 1, placed: false };
  if (held.state === 'prepare' && (await setUp(placing, { placement, host: held.host })).state === 'elsewhere')
    return { placement: placement + 1, placed: false };
  return { placement, placed: held.state !== 'unleased' };
}

/** Launches until it succeeds, or has failed too often; whatever a failed launch has left, lease or run, is gone on with. */
async function launchOnce(placing: PlaceJobInput, placement: number): Promise<LaunchResult | null> {
  const { trialId, pool, label: named, tempo, priority, mostLaunches = Infinity } = placing;
  const { whileQueued = (work) => work() } = placing;
  const options = optionsOf(tempo);
  const { start } = proxyActivities<MainActivities>({ ...options.start, summary: 'take up a launch that failed' });
  const { launch } = proxyActivities<FleetActivities>({
    ...options.launch,
    taskQueue: QUEUES.fleet(pool),
    summary: placement === 0 ? `launch ${named}` : `launch ${named} once more`,
    priority,
  });
  for (let failures = 0; failures < mostLaunches; failures += 1) {
    let why = '';
    try {
      return await whileQueued(() => launch({ trialId, placement }));
    } catch (error) {
      if (isCancellation(error) || isFinal(error)) throw error;
      why = rootCause(error) ?? String(error);
    }
    const taken = await start({ trialId, placement });
    if (taken.state !== 'unleased') return taken;
    // One attempt each: nothing but this shows that launches go on failing.
    if (failures === TELL_AFTER_LAUNCHES) await placing.onFailing(failures + 1, why);
    await sleep(relaunchAfter(failures, tempo));
  }
  return null;
}

/** A failure that no further launch can mend. */
const isFinal = (error: unknown): boolean =>
  !(error instanceof ActivityFailure) ||
  (error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true);

/** The words of an activity that failed. */
export const causeOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof TemporalFailure && error.cause instanceof ApplicationFailure ? error.cause : undefined;

const isSetupFailure = (error: TemporalFailure): boolean => causeOf(error)?.type === 'SetupFailedError';

/** How a job ends by a failure that no other machine can mend. */
export const whyOf = (error: TemporalFailure): 'setup-failed' | 'tools-missing' | 'failed' =>
  isSetupFailure(error) ? 'setup-failed' : causeOf(error)?.type === 'ToolsMissing' ? 'tools-missing' : 'failed';
