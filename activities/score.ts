import { ApplicationFailure } from '@temporalio/activity';
import { outcomeOfEnd } from '../domain/trial/outcome.ts';
import { classifyCrash } from '../domain/prompt/classify-crash.ts';
import type { Run } from '../db/run/run.ts';
import type { Failure, TrialEnded } from '../domain/trial.ts';
import { readMetric } from '../domain/metric/read-metric.ts';
import { withHostLoss } from './host/with-host-failure.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { StoredEnd } from './run/collect.ts';
import type { ActivityDeps } from './deps.ts';
import { settle } from './outcome/settle.ts';
import { releaseAndRemoveRun, placedOf } from './monitor/loss/lose-run.ts';
import { removeRuns } from './run/remove-runs.ts';
import { mostCpuOf } from './run/most-cpu.ts';
import { askEvaluator, failForCpuTime } from './score/ask-evaluator.ts';
import { toHostLostFailure } from './score/lose-run-on-machine-failure.ts';
import type { ScoreContext, Scored } from './score/score-context.ts';
import { adviceOn } from './host/advice-on.ts';
import { boundedScore } from './score/bounded-score.ts';

export interface ScoreInput {
  trialId: string;
  placement: number;
}

/**
 * Scores an ended run by the trusted evaluator, stores the outcome once and lets the gate rule on it. `follower`: the
 * attempt of `monitor` that scores, else the last one that followed; where another took over meanwhile, or found that the
 * machine had failed the run, nothing is stored.
 */
export type ScoreTrial = (key: ScoreInput & { follower?: number }, signal: AbortSignal) => Promise<TrialEnded>;

export const createScoreActivities = (deps: ActivityDeps) => {
  const scoreTrial = createScoreTrial(deps, unlessLost);
  return {
    /** Scores a run that was not scored where it was followed. */
    score: async (key: ScoreInput): Promise<TrialEnded> => withHeartbeat((signal) => scoreTrial(key, signal)),
  };
};

/** What to do about a host that fails while its run is scored. */
type AtHost = (deps: ActivityDeps, run: Run, work: () => Promise<Scored>) => Promise<Scored>;

/** Waited for, but not for ever. */
const unlessLost: AtHost = (deps, { host, trialId, placement, fence }, work) =>
  withHostLoss(deps, host, {
    work,
    lost: async () => {
      // Another attempt may have stored the outcome meanwhile, and removed the run: the next one returns that.
      if ((await deps.store.trial.loadTrial(trialId)).status !== null)
        throw ApplicationFailure.retryable(`trial ${trialId} was settled by another attempt`, 'Settled');
      await deps.store.run.freeUnconfirmed({ trialId, placement, fence });
      throw ApplicationFailure.nonRetryable(`host ${host} is away for too long`, 'HostLost');
    },
  });

/** Without `atHost`, a host that fails is an error like others. */
export const createScoreTrial =
  (deps: ActivityDeps, atHost: AtHost = (_deps, _run, work) => work()): ScoreTrial =>
  async ({ trialId, placement, follower }, signal) => {
    const [trial, run] = await Promise.all([
      deps.store.trial.loadTrial(trialId),
      deps.store.run.findRun({ trialId, placement }),
    ]);
    const version = await deps.store.task.loadTaskVersion(trial.taskHash);
    if (!run?.end)
      throw new Error(`Expected trial ${trialId} to have ended on placement ${placement} before it is scored`);
    // What it would ask, and find, is a newer one's to judge.
    if (trial.status === null && follower !== undefined && follower !== run.follower)
      throw ApplicationFailure.nonRetryable(`another attempt follows ${trialId}`, 'Fenced');
    if (trial.status === null && run.shortage !== null) {
      // Found by an attempt that died since, perhaps before it had freed the slot.
      await releaseAndRemoveRun(placedOf(deps, run));
      throw toHostLostFailure(run.host, run.shortage);
    }
    const context = { deps, trial, version, run, end: run.end as StoredEnd };
    const scored = trial.status === null ? await atHost(deps, run, () => scoreRun(context, signal)) : undefined;
    deps.reach('scored');
    const ended = await settle(deps.store, {
      trialId,
      researchId: trial.researchId,
      ...(scored ? outcomeFields(scored) : NOTHING),
      trusted: isTrusted(context, scored),
      by: { placement, follower: follower ?? run.follower },
    });
    deps.reach('verdict-stored');
    if (version.task.evaluator.type === 'interactive' && !deps.hosts.isOwnHost(run.host))
      await deps.store.host.noteHostSuccess(run.host);
    await deps.store.run.freeSlotOfPlacement({ trialId, placement });
    await removeRuns(deps, { trialId, placement, host: run.host });
    return ended;
  };

/** Not written: the outcome is there already, and `settle` returns it. */
const NOTHING = { status: 'lost' as const, failure: null, value: null, metrics: {}, evaluatorNotes: null };

const outcomeFields = (scored: Scored) =>
  scored.ok
    ? {
        status: 'completed' as const,
        failure: null,
        value: scored.value,
        metrics: scored.metrics,
        evaluatorNotes: scored.notes,
      }
    : {
        status: scored.status,
        failure: scored.failure,
        value: null,
        metrics: {},
        evaluatorNotes: scored.notes ?? null,
      };

/** A score is trusted if the candidate could not have written it itself: by the word of the host on which it ran, and answered. */
const isTrusted = ({ version, end }: ScoreContext, scored?: Scored): boolean =>
  version.task.evaluator.type !== 'none' && end.sandboxed && !(scored?.ok && scored.exposed);

function crashWords(logTail: string): string {
  const { kind, line } = classifyCrash(logTail);
  return kind === 'other' || line === '' ? line || 'no output' : `${kind}: ${line}`;
}

/** Exit code of a shell that found no such command: an evaluator's words stand beside no code of their own. */
const NOT_FOUND = 127;

/**
 * Ends the message of a run that did not find a program, a module or a file with where its machine has that, and what to write
 * into task.yaml. Only of the unmodified version: its author can mend it, a proposal cannot.
 */
export async function addRunAdvice(context: ScoreContext, failure: Failure): Promise<Failure> {
  const { run, end } = context;
  if (failure.label !== 'exit-code') return failure;
  return withAdvice(context, failure, { exitCode: end.exitCode, log: run.logTail ?? '' });
}

/** The same of an evaluator, which runs on this machine, and of a program that answers it. */
export async function addEvaluatorAdvice(context: ScoreContext, scored: Scored): Promise<Scored> {
  if (scored.ok || !['evaluator-failed', 'candidate-protocol'].includes(scored.failure.label)) return scored;
  if (!context.deps.hosts.isOwnHost(context.run.host)) return scored;
  const said = { exitCode: NOT_FOUND, log: scored.notes ?? '' };
  return { ...scored, failure: await withAdvice(context, scored.failure, said) };
}

async function withAdvice(
  { deps, trial, version: { task }, run: { host } }: ScoreContext,
  failure: Failure,
  said: { exitCode: number | null; log: string },
): Promise<Failure> {
  const advice = trial.kind === 'baseline' ? await adviceOn(deps, { host, task, said }) : null;
  return advice === null ? failure : { ...failure, message: `${failure.message}\n${advice}` };
}

/** For the whole tail; honest output takes milliseconds. */
const METRIC_MS = 3000;

/** Reads the metric from what the run printed to stdout: only for tasks that say so, and never trusted. */
export function readStdoutMetric({ deps, run, version }: ScoreContext): Scored {
  const { metric } = version.task;
  const output = run.stdoutTail ?? run.logTail ?? '';
  const timed = deps.scoring.withinTime(METRIC_MS, () => readMetric(output, metric));
  if (!timed.done) {
    const message = `expected metric.pattern to read the output within ${METRIC_MS / 1000} s, came to no end; make it simpler`;
    return { ok: false, status: 'crashed', failure: { label: 'metric-unreadable', message } };
  }
  const read = timed.value;
  if (!read.ok) return { ok: false, status: 'crashed', failure: { label: read.label, message: read.message } };
  return boundedScore(version.task, { metrics: { [metric.name]: read.value }, notes: null });
}

async function scoreRun(context: ScoreContext, signal: AbortSignal): Promise<Scored> {
  const { end, run, version } = context;
  const crashed = (label: Failure['label'], message: string): Scored => ({
    ok: false,
    status: 'crashed',
    failure: { label, message },
  });
  const bad = outcomeOfEnd(end, run.stop, crashWords(run.logTail ?? ''));
  if (bad) return { ok: false, ...bad, failure: await addRunAdvice(context, bad.failure) };
  if (end.changed.length > 0)
    return crashed(
      'immutable-changed',
      `the run changed files that must not change: ${end.changed.slice(0, 5).join(', ')}`,
    );
  // A run may end between two looks at what it uses.
  const most = await mostCpuOf(context.deps, context.trial, version.task);
  if (most !== null && end.cpuSeconds > most) return failForCpuTime(end.cpuSeconds, most);
  if (end.tooLarge.length > 0) return crashed('artefact-too-large', `larger than allowed: ${end.tooLarge.join(', ')}`);
  if (end.missing.length > 0) return crashed('artefact-missing', `expected the run to leave ${end.missing.join(', ')}`);
  return version.task.evaluator.type === 'none'
    ? readStdoutMetric(context)
    : addEvaluatorAdvice(context, await askEvaluator(context, signal));
}
