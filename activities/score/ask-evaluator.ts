import { ApplicationFailure } from '@temporalio/activity';
import { mostAwaySeconds } from '../../domain/fleet/away.ts';
import { first31 } from '../../domain/trial/trial-seeds.ts';
import type { Conversation } from '../../infra/compute.ts';
import type { Scored, ScoreContext } from './types.ts';
import { runSpecOf } from '../run/run-spec.ts';
import { boundedScore } from './bounded-score.ts';
import { unlessCutOff } from './cut-off.ts';
import { unlessMachineFailed } from './machine-failed.ts';

/** Kept of what a failed evaluator and its candidate said, in characters; for people, never for a prompt. */
const LONGEST_TAIL = 4096;
/** Longest time of the answering program on the slot, beyond the evaluator's own and what its host may be away for: who looks whether it is there waits a minute. */
const ANSWER_SLACK_SECONDS = 100;

const tailOf = (text: string): string => text.slice(-LONGEST_TAIL);

/** Runs the trusted evaluator; an interactive one talks to the candidate's program on the trial's slot. */
export async function askEvaluator(context: ScoreContext, signal: AbortSignal): Promise<Scored> {
  const { evaluator } = context.version.task;
  if (evaluator.type !== 'interactive') return evaluate(context, { conversation: null, signal });
  return unlessMachineFailed(context, async () => {
    const conversation = await converse(context, evaluator);
    return unlessCutOff({ ...context, conversation, signal }, async () => {
      try {
        const scored = await evaluate(context, { conversation, signal });
        await conversation.stop();
        const exposed = !conversation.confinement.sandboxed;
        return {
          scored: scored.ok ? { ...scored, exposed } : scored,
          talk: await conversation.ended.catch(() => undefined),
        };
      } finally {
        await conversation.stop();
      }
    });
  });
}

async function evaluate(
  { deps, trial, version, run }: ScoreContext,
  { conversation, signal }: { conversation: Conversation | null; signal: AbortSignal },
): Promise<Scored> {
  const { evaluator } = version.task;
  if (evaluator.type === 'none') throw new Error('Expected a task with an evaluator');
  const interactive = evaluator.type === 'interactive' ? evaluator : undefined;
  const result = await deps.scoring.evaluator.evaluate(
    {
      files: await deps.store.task.loadTaskFiles({ taskHash: version.hash, role: 'evaluator' }),
      command: evaluator.command,
      timeoutSeconds: evaluator.timeoutSeconds,
      // Not the run's own seed: a run must not be able to work out what it will be asked.
      // A trial that 0.1 admitted has none of its own.
      seed: trial.evaluatorSeed ?? first31(deps.scoring.hmac(trial.id)),
      artefacts: await deps.store.run.loadArtefacts({ trialId: trial.id, placement: run.placement }),
      conversation,
      limits: {
        roundSeconds: interactive?.roundSeconds ?? evaluator.timeoutSeconds,
        lineBytes: Math.round((interactive?.lineKb ?? 0) * 1024),
        totalBytes: Math.round((interactive?.totalMb ?? 0) * 1024 * 1024),
      },
    },
    signal,
  );
  if (result.ok) return boundedScore(version.task, result.evaluation);
  const { label, message, logTail, doubt } = result.failure;
  return {
    ok: false,
    status: label === 'cpu-time' ? 'timed_out' : 'crashed',
    failure: { label, message },
    ...(logTail ? { notes: tailOf(logTail) } : {}),
    ...(doubt ? { doubt } : {}),
  };
}

async function converse(
  { deps, trial, version, run }: ScoreContext,
  evaluator: { answer: string; timeoutSeconds: number; cpuSeconds?: number | undefined },
): Promise<Conversation> {
  const lease = await deps.store.slot.findLease(trial.id);
  if (lease?.fence !== run.fence)
    throw ApplicationFailure.nonRetryable(`trial ${trial.id} no longer holds the slot it ran on`, 'SlotGone');
  const { research } = await deps.store.trial.loadTrialAndResearch(trial.id);
  const on = { trial, research, version, lease, placement: run.placement };
  const spec = await runSpecOf(deps, { ...on, command: evaluator.answer });
  const { timeoutSeconds } = evaluator;
  const seconds = timeoutSeconds + mostAwaySeconds(timeoutSeconds) + ANSWER_SLACK_SECONDS;
  return deps.hosts.computeOf(run.host).converse({
    ...spec,
    limits: { ...spec.limits, wallSeconds: seconds, cpuSeconds: evaluator.cpuSeconds ?? null },
  });
}
