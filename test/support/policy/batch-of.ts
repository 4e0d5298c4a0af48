import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { PolicyPrompt } from '../../../domain/learning/policy-prompt.ts';
import type { StepBatch, StepResult, StepRollout } from '../../../domain/learning/step.ts';
import type { Policy, PolicyFacts, Sample } from '../../../infra/policy.ts';

export const keyOf = (name: string): string => createHash('sha256').update(name).digest('hex');

/** A sample of a policy as a rollout of a batch. */
export const rolloutOf = (sample: Sample, index: number, reward: number): StepRollout => ({
  id: `research/${index}`,
  group: 'g0',
  policyVersion: sample.policyVersion,
  promptIds: sample.promptIds,
  completionIds: sample.completionIds,
  logprobs: sample.logprobs,
  lossMask: sample.completionIds.map(() => 1),
  attentionMask: null,
  reward,
  outcome: 'completed',
  feedback: null,
  teacherPromptIds: null,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  presencePenalty: 0,
  frequencyPenalty: 0,
  repetitionPenalty: 1,
});

/** A GRPO batch of rollouts; the parent is the base unless `more` names one. */
export const batchOf = (facts: PolicyFacts, rollouts: StepRollout[], more: Partial<StepBatch> = {}): StepBatch => ({
  version: 1,
  stepKey: keyOf('first'),
  base: facts.base,
  parent: null,
  adapter: { kind: 'lora', rank: 4, alpha: 8, targets: ['q_proj', 'v_proj'], dropout: 0 },
  algorithm: {
    name: 'grpo',
    epochs: 1,
    oldLogprobs: 'trainer',
    isCap: null,
    klCoefficient: 0,
    entropyCoefficient: 0,
    scaleRewards: 'group',
    stdFloor: 1e-4,
    clipLow: 0.2,
    clipHigh: 0.28,
    dualClip: null,
  },
  optimizer: { name: 'adamw', lr: 1e-3, betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0, maxGradNorm: 1 },
  seed: 5,
  tokenizer: facts.tokenizer,
  limits: { maxTokens: 512, microBatch: 8 },
  rollouts,
  ...more,
});

export interface Asking {
  base: string;
  content: string;
  maxTokens: number;
  signal: AbortSignal;
}

export const chatOf = (content: string): PolicyPrompt => ({ form: 'chat', messages: [{ role: 'user', content }] });

/** Requests `count` samples of a version at the same time, with seeds from `from` on. */
export function samplesOf(
  policy: Policy,
  { base, content, maxTokens, signal }: Asking,
  { count, from = 0, version = null }: { count: number; from?: number; version?: PolicyFacts['base'] | null },
): Promise<Sample[]> {
  setMaxListeners(0, signal);
  const request = { base, version, prompt: chatOf(content), maxTokens, deadlineSeconds: 120 };
  return Promise.all(
    Array.from({ length: count }, (_, index) => policy.sample({ ...request, seed: from + index }, signal)),
  );
}

/** The checkpoint that a result names. */
export const checkpointOf = (policy: Policy, { stepKey, checkpoint }: StepResult) => ({
  path: policy.checkpoints.folder(stepKey),
  sha256: checkpoint,
});
