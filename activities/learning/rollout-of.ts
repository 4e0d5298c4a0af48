import type { LearntFrom } from '../../db/learning/samples.ts';
import type { DrawnSample, LearningRollout } from '../../domain/learning/rollout.ts';

/** A stored sample as an update learns from it, as yet without a teacher. */
export function rolloutOf({ rollout, prompt, outcome }: LearntFrom): LearningRollout {
  const { status, failure, failureMessage, reward, first } = outcome;
  if (status === null) throw new Error(`Expected ${rollout.trialId}, which is learnt from, to have an outcome`);
  return {
    id: rollout.trialId,
    group: String(rollout.g),
    sample: sampleOf({ rollout, prompt }),
    ...{ status, failure, reward },
    first: first && { status: first.status, failure: first.failure },
    value: outcome.value ?? first?.value ?? null,
    reason: failureMessage,
    teacherPromptIds: null,
    feedback: null,
  };
}

function sampleOf({ rollout, prompt }: Pick<LearntFrom, 'rollout' | 'prompt'>): DrawnSample | null {
  const { policyVersion, text, promptIds, completionIds, logprobs } = rollout;
  if (policyVersion === null || prompt === null || !promptIds || !completionIds || !logprobs) return null;
  return { policyVersion, prompt, text: text ?? '', promptIds, completionIds, logprobs };
}
