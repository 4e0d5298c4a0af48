import { ApplicationFailure } from '@temporalio/activity';
import { describeCpuLimit } from '../domain/job/charge.ts';
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
import { adviseEvaluatorRights } from '../domain/tools/evaluator-rights.ts';
import { adviceOn, type FailedProgram } from './host/advice-on.ts';
import { boundedScore, unreadScore } from './score/bounded-score.ts';

export interface ScoreInput {
  jobId: string;
  placement: number;
}

/**
 * Scores an ended run with the trusted evaluator and stores the outcome, once, with the gate's verdict. `follower`: the
 * attempt of `monitor` that scores; default: the last attempt that followed the run. Stores nothing if another attempt
 * took over meanwhile or lost the run to its host.
 */
export type ScoreTrial = (key: ScoreInput & { follower?: number }, signal: AbortSignal) => Promise<TrialEnded>;

export const createScoreActivities = (deps: ActivityDeps) => {
  const scoreTrial = createScoreTrial(deps, waitForHost);
  return {
    /** Scores a run that `monitor` did not score. */
    score: async (key: ScoreInput): Promise<TrialEnded> => withHeartbeat((signal) => scoreTrial(key, signal)),
  };
};

/** Runs work that scores a run, and handles a failure of the run's host. */
type OnHost = (deps: ActivityDeps, run: Run, work: () => Promise<Scored>) => Promise<Scored>;

/** Waits for a host that is away. After too long, frees the slot and throws `HostGone`, or `HostLost` if it answers. */
const waitForHost: OnHost = (deps, { host, jobId, placement, fence }, work) =>
  withHostLoss(deps, host, {
    work,
    lost: async (loss) => {
      // Another attempt may have stored the outcome and removed the run; the next attempt returns that outcome.
      if ((await deps.store.trial.loadTrial(jobId)).status !== null)
        throw ApplicationFailure.retryable(`trial ${jobId} was settled by another attempt`, 'Settled');
      await deps.store.run.freeUnconfirmed({ jobId, placement, fence });
      if (loss === 'gone') throw ApplicationFailure.nonRetryable(`host ${host} is away for too long`, 'HostGone');
      throw ApplicationFailure.nonRetryable(`host ${host} lost the run`, 'HostLost');
    },
  });

/** By default a failure of the host is thrown like any other error. */
export const createScoreTrial =
  (deps: ActivityDeps, onHost: OnHost = (_deps, _run, work) => work()): ScoreTrial =>
  async ({ jobId, placement, follower }, signal) => {
    const [trial, run] = await Promise.all([
      deps.store.trial.loadTrial(jobId),
      deps.store.run.findRun({ jobId, placement }),
    ]);
    const version = await deps.store.task.loadTaskVersion(trial.taskHash);
    if (!run?.end)
      throw new Error(`Expected trial ${jobId} to have ended on placement ${placement} before it is scored`);
    // A newer attempt follows the run, and only it may question the candidate and judge the end.
    if (trial.status === null && follower !== undefined && follower !== run.follower)
      throw ApplicationFailure.nonRetryable(`another attempt follows ${jobId}`, 'Fenced');
    if (trial.status === null && run.shortage !== null) {
      // An earlier attempt lost the run to its host, and may have died before it freed the slot.
      await releaseAndRemoveRun(placedOf(deps, run));
      throw toHostLostFailure(run.host, run.shortage);
    }
    const context = { deps, trial, version, run, end: run.end as StoredEnd };
    const scored = trial.status === null ? await onHost(deps, run, () => scoreRun(context, signal)) : undefined;
    deps.reach('scored');
    const ended = await settle(deps.store, {
      trialId: jobId,
      researchId: trial.researchId,
      ...(scored ? outcomeFields(scored) : NOTHING),
      trusted: isTrusted(context, scored),
      artefactCode: scored?.artefactCode ?? null,
      by: { placement, follower: follower ?? run.follower },
    });
    deps.reach('verdict-stored');
    if (version.task.evaluator.type === 'interactive' && !deps.hosts.isOwnHost(run.host))
      await deps.store.host.noteHostSuccess(run.host);
    await deps.store.run.freeSlotOfPlacement({ jobId, placement });
    await removeRuns(deps, { jobId, placement, host: run.host });
    return ended;
  };

/** Placeholder that is never written: the outcome is stored already, and `settle` returns it. */
const NOTHING = { status: 'lost' as const, failure: null, value: null, metrics: {}, evaluatorNotes: null };

const outcomeFields = (scored: Scored) =>
  scored.ok
    ? {
        status: 'completed' as const,
        failure: null,
        value: scored.value,
        metrics: scored.metrics,
        evaluatorNotes: scored.notes,
        feedback: scored.feedback ?? null,
      }
    : {
        status: scored.status,
        failure: scored.failure,
        value: null,
        metrics: {},
        evaluatorNotes: scored.notes ?? null,
      };

/**
 * True if the candidate could not have written its score: the task has an evaluator, which executed no artefact, and by
 * the report of the host the run, and the program that answered, were in the sandbox.
 */
const isTrusted = ({ version, end }: ScoreContext, scored?: Scored): boolean =>
  version.task.evaluator.type !== 'none' && end.sandboxed && !scored?.artefactCode && !(scored?.ok && scored.exposed);

function describeCrash(logTail: string): string {
  const { kind, line } = classifyCrash(logTail);
  return kind === 'other' || line === '' ? line || 'no output' : `${kind}: ${line}`;
}

/** Exit code of a shell that did not find a command. A failed evaluator's notes come without an exit code. */
const NOT_FOUND = 127;

/**
 * Adds advice to the failure of a run that did not find a program, a module or a file: its location on the host, and
 * the line for task.yaml. Only for the unmodified version, since the author of the task can follow the advice and a
 * proposer cannot.
 */
export async function addRunAdvice(context: ScoreContext, failure: Failure): Promise<Failure> {
  const { run, end } = context;
  if (failure.label !== 'exit-code') return failure;
  return withAdvice(context, failure, { said: { exitCode: end.exitCode, log: run.logTail ?? '' } });
}

/** The same for an evaluator, which runs on this machine, and for a program that answers it. */
export async function addEvaluatorAdvice(context: ScoreContext, scored: Scored): Promise<Scored> {
  if (scored.ok || !['evaluator-failed', 'candidate-protocol'].includes(scored.failure.label)) return scored;
  if (!context.deps.hosts.isOwnHost(context.run.host)) return scored;
  const { evaluator } = context.version.task;
  const said = { exitCode: NOT_FOUND, log: scored.notes ?? '' };
  const isEvaluators = scored.failure.label === 'evaluator-failed' && evaluator.type !== 'none';
  if (!isEvaluators) return { ...scored, failure: await withAdvice(context, scored.failure, { said }) };
  const own = { said, evaluator: { readable: evaluator.readable ?? [] } };
  const rights = context.trial.kind === 'baseline' ? adviseEvaluatorRights(said.log, evaluator) : null;
  const { label, message } = scored.failure;
  if (rights !== null) return { ...scored, failure: { label, message: `${message}\n${rights}` } };
  return { ...scored, failure: await withAdvice(context, scored.failure, own) };
}

async function withAdvice(
  { deps, trial, version: { task }, run: { host } }: ScoreContext,
  failure: Failure,
  program: Pick<FailedProgram, 'said' | 'evaluator'>,
): Promise<Failure> {
  const advice = trial.kind === 'baseline' ? await adviceOn(deps, { host, task, ...program }) : null;
  return advice === null ? failure : { ...failure, message: `${failure.message}\n${advice}` };
}

/** Time limit for reading the whole tail of the output. Ordinary output takes milliseconds. */
const METRIC_MS = 3000;

/** Reads the metric from the run's stdout, for tasks with `metric.from: stdout`. Such a score is never trusted. */
export function readStdoutMetric({ deps, run, version }: ScoreContext): Scored {
  const { metric } = version.task;
  const output = run.stdoutTail ?? run.logTail ?? '';
  const timed = deps.scoring.withinTime(METRIC_MS, () => readMetric(output, metric));
  if (!timed.done) {
    const message =
      `expected metric.pattern to read the output within ${METRIC_MS / 1000} s; ` +
      'it did not finish. Simplify the pattern';
    return { ok: false, status: 'crashed', failure: { label: 'metric-unreadable', message } };
  }
  const read = timed.value;
  if (!read.ok) return unreadScore(read);
  return boundedScore(version.task, { metrics: { [metric.name]: read.value }, notes: null });
}

async function scoreRun(context: ScoreContext, signal: AbortSignal): Promise<Scored> {
  const { end, run, version } = context;
  const crashed = (label: Failure['label'], message: string): Scored => ({
    ok: false,
    status: 'crashed',
    failure: { label, message },
  });
  const most = await mostCpuOf(context.deps, context.trial, version.task);
  const { budget } = version.task.run;
  // The limit of kind `reference` may have changed since the launch, so its number is left out.
  const cpuLimit = most === null || budget.kind === 'reference' ? null : describeCpuLimit(most, budget);
  const bad = outcomeOfEnd(end, run.stop, { crash: describeCrash(run.logTail ?? ''), cpuLimit });
  if (bad) return { ok: false, ...bad, failure: await addRunAdvice(context, bad.failure) };
  if (end.changed.length > 0)
    return crashed(
      'immutable-changed',
      `the run changed files that must not change: ${end.changed.slice(0, 5).join(', ')}`,
    );
  // The supervisor measures at intervals, so a run may exceed the limit and end before the next measurement.
  if (most !== null && end.cpuSeconds > most) return failForCpuTime(end.cpuSeconds, most, version.task);
  if (end.tooLarge.length > 0) return crashed('artefact-too-large', `larger than allowed: ${end.tooLarge.join(', ')}`);
  if (end.missing.length > 0) return crashed('artefact-missing', `expected the run to leave ${end.missing.join(', ')}`);
  return version.task.evaluator.type === 'none'
    ? readStdoutMetric(context)
    : addEvaluatorAdvice(context, await askEvaluator(context, signal));
}
