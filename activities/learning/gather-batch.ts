import { batchOf, type ExcludedRollout, batchShares, stepKeyContent } from '../../domain/learning/batch.ts';
import { LATE } from '../../domain/learning/late.ts';
import type { DrawnSample, LearningRollout } from '../../domain/learning/rollout.ts';
import type { StepBatch } from '../../domain/learning/step.ts';
import { teacherPromptOf } from '../../domain/learning/teacher-prompt.ts';
import { isCopy } from '../../domain/trial.ts';
import { hashToSeed } from '../../domain/trial/seed.ts';
import type { PolicyFacts } from '../../infra/policy.ts';
import type { LearntSample } from '../../db/learning/samples.ts';
import type { Teacher, UpdatePlan } from '../../domain/learning/plan.ts';
import type { ActivityDeps } from '../deps.ts';
import type { BegunUpdate } from './begin-update.ts';
import type { PolicyStart } from './policy-base.ts';

/** A batch, or the reason why there is nothing to learn from; with metrics of the batch itself. */
export type Gathered = { metrics: Record<string, number>; skipped: ExcludedRollout[] } & (
  { batch: StepBatch } | { batch: null; reason: string }
);

/** Makes the batch of an update from stored rows. The same rows make the same bytes. */
export async function gatherBatch(
  { deps, signal, plan }: { deps: ActivityDeps; signal: AbortSignal; plan: UpdatePlan },
  { start, facts, policyStart }: { start: BegunUpdate; facts: PolicyFacts; policyStart: PolicyStart },
): Promise<Gathered> {
  const { researchId, k, batch: trials } = start;
  const rows = await deps.store.learning.loadRollouts(trials);
  const untaught = rows.map(rolloutOf);
  const { teacher } = plan;
  const { model: base, checkpoint: reference } = policyStart;
  const rollouts = teacher === null ? untaught : await addTeacherPrompts(deps, { untaught, teacher, base, signal });
  const parent = start.from;
  const adjustments = start.adjustments ?? {};
  const seed = hashToSeed(`${researchId}/update-${k}`);
  const assembled = batchOf({ plan, rollouts, facts, parent, reference, seed, adjustments });
  const metrics = batchShares(rollouts);
  const late = await deps.store.learning.findLateSamples({ researchId, k });
  const skipped = [...assembled.leftOut, ...late.map((id) => ({ id, reason: LATE }))];
  return assembled.ok
    ? { batch: { ...assembled.batch, stepKey: deps.machine.sha256(stepKeyContent(assembled.batch)) }, metrics, skipped }
    : { batch: null, reason: assembled.words, metrics, skipped };
}

/** A stored sample in the form that an update learns from, without the prompt of a teacher. */
function rolloutOf({ rollout, prompt, outcome }: LearntSample): LearningRollout {
  const { status, failure, failureMessage, reward, rewardParts, runsBefore, first } = outcome;
  if (status === null) throw new Error(`Expected ${rollout.trialId}, which is learnt from, to have an outcome`);
  return {
    id: rollout.trialId,
    group: String(rollout.g),
    sample: sampleOf({ rollout, prompt }),
    status,
    failure,
    reward,
    first: first && { status: first.status, failure: first.failure },
    isCopy: isCopy({ status, runsBefore }),
    // The reward is that of the mean of the candidate's values, which is among its parts.
    value: rewardParts?.['value'] ?? outcome.value ?? first?.value ?? null,
    reason: failureMessage,
    teacherPromptIds: null,
    feedback: null,
  };
}

function sampleOf({ rollout, prompt }: Pick<LearntSample, 'rollout' | 'prompt'>): DrawnSample | null {
  const { policyVersion, text, promptIds, completionIds, logprobs, valueTokens, answerTokens } = rollout;
  if (policyVersion === null || prompt === null || !promptIds || !completionIds || !logprobs) return null;
  const counts = valueTokens === null || answerTokens === null ? null : { value: valueTokens, answer: answerTokens };
  return { policyVersion, prompt, text: text ?? '', promptIds, completionIds, logprobs, answerTokens: counts };
}

/** Adds the prompt of its self-teacher to each rollout for which the teacher has feedback or a better answer. */
async function addTeacherPrompts(
  deps: ActivityDeps,
  {
    untaught,
    teacher,
    base,
    signal,
  }: { untaught: readonly LearningRollout[]; teacher: Teacher; base: string; signal: AbortSignal },
): Promise<LearningRollout[]> {
  const groups = groupsOf(untaught);
  const rollouts: LearningRollout[] = [];
  // Sequential: a socket takes a hundred requests at once, and a batch may have thousands.
  for (const rollout of untaught) {
    const lesson = teacherPromptOf(rollout, groups.get(rollout.group) ?? [], teacher);
    const teacherPromptIds = lesson && (await deps.policy.tokenize(base, lesson.prompt, signal));
    rollouts.push({ ...rollout, teacherPromptIds, feedback: lesson?.feedback ?? null });
  }
  return rollouts;
}

function groupsOf(rollouts: readonly LearningRollout[]): Map<string, LearningRollout[]> {
  const groups = new Map<string, LearningRollout[]>();
  for (const rollout of rollouts) {
    const members = groups.get(rollout.group) ?? [];
    groups.set(rollout.group, [...members, rollout]);
  }
  return groups;
}
