import type { BatchInput } from '../../../domain/learning/batch.ts';
import type { DrawnSample, LearningRollout } from '../../../domain/learning/rollout.ts';

const hex = (digit: string): string => digit.repeat(64);

/** A model and its tokenizer, with invented hashes. */
export const FACTS: BatchInput['facts'] = {
  base: { path: '/models/small', sha256: hex('b') },
  tokenizer: { sha256: hex('c'), template: hex('d') },
};
export const PARENT = { path: '/checkpoints/first', sha256: hex('a') };

export const SAMPLE: DrawnSample = {
  policyVersion: PARENT.sha256,
  prompt: {
    form: 'chat',
    messages: [
      { role: 'system', content: 'You set a learning rate.' },
      { role: 'user', content: 'Which one?' },
    ],
  },
  text: 'lr = 0.1',
  promptIds: [1, 2, 3],
  completionIds: [4, 5],
  logprobs: [-0.5, -1.25],
  answerTokens: null,
};

/** A rollout that completed with reward .5. */
export const rollout = (change: Partial<LearningRollout> = {}): LearningRollout => ({
  id: 'learning/1',
  group: 'g1',
  sample: SAMPLE,
  reward: 0.5,
  status: 'completed',
  failure: null,
  first: null,
  isCopy: false,
  value: 0.25,
  reason: null,
  teacherPromptIds: null,
  feedback: null,
  ...change,
});

/** The same rollout with another answer. */
export const answering = (text: string, change: Partial<LearningRollout> = {}): LearningRollout =>
  rollout({ sample: { ...SAMPLE, text }, ...change });
