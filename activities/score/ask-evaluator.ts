import { ApplicationFailure } from '@temporalio/activity';
import { longestOutageSeconds } from '../../domain/fleet/network-outage.ts';
import { first31 } from '../../domain/trial/trial-seeds.ts';
import { runtimeOf } from '../../domain/metric/runtime.ts';
import { describeCpuLimit, overspent } from '../../domain/job/charge.ts';
import type { Conversation, FileContent, RunEnd } from '../../infra/compute.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Failure, TrialKind } from '../../domain/trial.ts';
import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import type { Scored, ScoreContext } from './score-context.ts';
import { taskSecret } from '../task/task-stage.ts';
import { prepareEvaluatorPath } from '../task/prepare-evaluator-path.ts';
import { environmentOn } from '../task/environment.ts';
import { artefactsOf } from '../run/collect.ts';
import { runSpecOf } from '../run/run-spec.ts';
import { evaluatorRights, withArtefactCode, type EvaluatorRights } from './artefact-code.ts';
import { judgeCalls, openEvaluatorGateway, scoreAgain } from './evaluator-calls.ts';
import { boundedScore } from './bounded-score.ts';
import { retryCutConversation } from './retry-cut-conversation.ts';
import { retryWithoutSandbox } from './retry-without-sandbox.ts';
import { loseRunOnMachineFailure } from './lose-run-on-machine-failure.ts';

/** Characters that are kept of the output of a failed evaluator and its candidate; for people, never for a prompt. */
const LONGEST_TAIL = 4096;
/**
 * Time of the answering program on the slot beyond the evaluator's timeout and the longest network outage. The check
 * for a lost program takes a minute.
 */
const ANSWER_SLACK_SECONDS = 100;

const bytesOf = (files: Record<string, string>): number =>
  Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const tailOf = (text: string): string => text.slice(-LONGEST_TAIL);

/** Runs the trusted evaluator. An interactive evaluator questions the candidate's program on the trial's slot. */
export const askEvaluator = (context: ScoreContext, signal: AbortSignal): Promise<Scored> =>
  retryWithoutSandbox(context, () => askOnce(context, signal));

async function askOnce(context: ScoreContext, signal: AbortSignal): Promise<Scored> {
  const { evaluator } = context.version.task;
  const { deps, trial, run } = context;
  const artefacts = await deps.store.run.loadArtefacts({ jobId: trial.id, placement: run.placement });
  const rights = await evaluatorRights(context, artefacts);
  if ('ok' in rights) return rights;
  const given = { artefacts, rights };
  if (evaluator.type !== 'interactive') return evaluate(context, given, { conversation: null, signal });
  return loseRunOnMachineFailure(context, async () => {
    const { conversation, most } = await converse(context, evaluator);
    return retryCutConversation({ ...context, conversation, signal }, async () => {
      try {
        const scored = await evaluate(context, given, { conversation, signal });
        await conversation.stop();
        // A score needs the CPU time of its answers. If the program's end is unknown, this throws and the evaluator
        // asks again.
        const talk = scored.ok ? await conversation.ended : await conversation.ended.catch(() => undefined);
        const charged = await charge(context, { scored, talk, most });
        const exposed = !conversation.confinement.sandboxed;
        return { scored: charged.ok ? { ...charged, exposed } : charged, programEnd: talk };
      } finally {
        await conversation.stop();
      }
    });
  });
}

/** Stores the CPU time of the answers. Fails the score if run and answers together used more than the budget allows. */
async function charge(
  { deps, run, end, version }: ScoreContext,
  { scored, talk, most }: { scored: Scored; talk: RunEnd | undefined; most: number | null },
): Promise<Scored> {
  if (!talk) return scored;
  const { jobId, placement } = run;
  await deps.store.run.saveAnswerCpu({ jobId, placement, cpuSeconds: talk.cpuSeconds });
  const used = end.cpuSeconds + talk.cpuSeconds;
  return scored.ok && most !== null && used > most ? failForCpuTime(used, most, version.task) : scored;
}

/** The outcome of a run that used more CPU seconds than its budget allows. */
export const failForCpuTime = (used: number, most: number, { run }: Pick<Task, 'run'>): Scored => ({
  ok: false,
  status: 'timed_out',
  failure: { label: 'cpu-time', message: overspent(used, describeCpuLimit(most, run.budget)) },
});

const HINT =
  'the answering program sees only files of its run that run.artefacts declares, ' + 'and the task declares none';

/**
 * Adds a hint if the unmodified version could not answer: its program may read a file that the task does not declare.
 */
export function addArtefactHint(
  { label, message }: Failure,
  { task: { evaluator, run }, kind }: { task: Pick<Task, 'evaluator' | 'run'>; kind: TrialKind },
): Failure {
  const fits = evaluator.type === 'interactive' && run.artefacts.length === 0 && kind === 'baseline';
  return { label, message: fits && label === 'candidate-protocol' ? `${message} (${HINT})` : message };
}

async function evaluate(
  { deps, trial, version, run, end }: ScoreContext,
  { artefacts, rights: { sandbox, artefactCode } }: { artefacts: FileContent[]; rights: EvaluatorRights },
  { conversation, signal }: { conversation: Conversation | null; signal: AbortSignal },
): Promise<Scored> {
  const { evaluator } = version.task;
  if (evaluator.type === 'none') throw new Error('Expected a task with an evaluator');
  const interactive = evaluator.type === 'interactive' ? evaluator : undefined;
  const files = trial.candidateId === null ? {} : await deps.store.trial.loadCandidateFiles(trial.candidateId);
  const llm = evaluatorLlmOf(evaluator);
  const missing = llm === null ? null : deps.gateway.lacksAll();
  // Another worker may have an endpoint.
  if (missing !== null) return scoreAgain({ deps, trial }, `evaluator.llm: ${missing}`);
  const opened = llm === null ? null : await openEvaluatorGateway({ deps, trial }, llm);
  const result = await deps.scoring.evaluator.evaluate(
    {
      files: await deps.store.task.loadTaskFiles({ taskHash: version.hash, role: 'evaluator' }),
      command: evaluator.command,
      path: await prepareEvaluatorPath(deps, version, signal),
      readable: evaluator.readable,
      // Code of an artefact could send the labels away.
      network: evaluator.network === true && artefactCode === null,
      gpu: evaluator.gpu,
      gateway: opened?.gateway,
      sandbox,
      timeoutSeconds: evaluator.timeoutSeconds,
      // Not the run's seed: a run must not be able to compute the questions that it will be asked.
      // A trial that version 0.1 admitted has no stored seed.
      seed: trial.evaluatorSeed ?? first31(deps.scoring.hmac(trial.id)),
      secret: taskSecret(deps, version.task),
      artefacts,
      runtime: runtimeOf({ end, machine: run.machine, artefacts, mutableBytes: bytesOf(files) }),
      conversation,
      limits: {
        roundSeconds: interactive?.roundSeconds ?? evaluator.timeoutSeconds,
        lineBytes: Math.round((interactive?.lineKb ?? 0) * 1024),
        totalBytes: Math.round((interactive?.totalMb ?? 0) * 1024 * 1024),
      },
    },
    signal,
  );
  const scored = scoredOf(result, { task: version.task, kind: trial.kind });
  const judged = opened === null ? scored : await judgeCalls({ deps, trial, run }, opened.seen, scored);
  return withArtefactCode(judged, artefactCode);
}

function scoredOf(
  result: Awaited<ReturnType<ScoreContext['deps']['scoring']['evaluator']['evaluate']>>,
  { task, kind }: { task: Task; kind: TrialKind },
): Scored {
  if (result.ok) return boundedScore(task, result.evaluation);
  const { label, message, logTail, doubt } = result.failure;
  return {
    ok: false,
    status: label === 'cpu-time' ? 'timed_out' : 'crashed',
    failure: addArtefactHint({ label, message }, { task, kind }),
    ...(logTail ? { notes: tailOf(logTail) } : {}),
    ...(doubt ? { doubt } : {}),
  };
}

async function converse(
  { deps, trial, version, run, end }: ScoreContext,
  evaluator: { answer: string; timeoutSeconds: number; cpuSeconds?: number | undefined },
): Promise<{ conversation: Conversation; most: number | null }> {
  const lease = await deps.store.slot.findLease(trial.id);
  if (lease?.fence !== run.fence)
    throw ApplicationFailure.nonRetryable(`trial ${trial.id} no longer holds the slot it ran on`, 'SlotGone');
  const { research } = await deps.store.trial.loadTrialAndResearch(trial.id);
  const environment = await environmentOn(deps, version, run.host);
  const placed = { trial, research, version, lease, placement: run.placement, environment };
  const spec = await runSpecOf(deps, { ...placed, command: evaluator.answer });
  const { timeoutSeconds } = evaluator;
  const seconds = timeoutSeconds + longestOutageSeconds(timeoutSeconds) + ANSWER_SLACK_SECONDS;
  const most = spec.limits.cpuSeconds;
  const unspent = most === null ? Infinity : Math.max(0, most - end.cpuSeconds);
  const cpuSeconds = Math.min(unspent, evaluator.cpuSeconds ?? Infinity);
  const conversation = await deps.hosts.computeOf(run.host).converse({
    ...spec,
    artefacts: artefactsOf(version.task),
    limits: { ...spec.limits, wallSeconds: seconds, cpuSeconds: Number.isFinite(cpuSeconds) ? cpuSeconds : null },
  });
  return { conversation, most };
}
