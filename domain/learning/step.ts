/** The contract of a step with the trainer, as JSON; `trainer/perpetua_trainer/batch.py` reads it strictly. */

/** A folder and the hash of its content, 64 hexadecimal digits. */
export interface HashedFolder {
  path: string;
  sha256: string;
}

/** Weights that learn. */
export type Adapter =
  { kind: 'lora'; rank: number; alpha: number; targets: readonly string[]; dropout: 0 } | { kind: 'full' };

export interface Optimizer {
  name: 'adamw';
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  maxGradNorm: number;
}

/** Hashes of what turns text into tokens: `tokenizer.json`, and the chat template's text. */
export interface Tokenizer {
  sha256: string;
  template: string;
}

/** The name of the version that a sample came from: a checkpoint's hash, or `base`. */
export type PolicyVersion = string;

/** One sampled completion and what came of it; tokens are those that were sampled, log-probabilities are in nats at T = 1. */
export interface StepRollout {
  id: string;
  group: string;
  policyVersion: PolicyVersion;
  promptIds: readonly number[];
  completionIds: readonly number[];
  logprobs: readonly number[];
  /** One of 0 and 1 a completion's token: whether it is learnt from. */
  lossMask: readonly (0 | 1)[];
  /** One of 0 and 1 a token of prompt and completion: whether it is seen; null: all are. */
  attentionMask: readonly (0 | 1)[] | null;
  reward: number;
  outcome: string;
  feedback: string | null;
  teacherPromptIds: readonly number[] | null;
  temperature: 1;
  topP: 1;
  topK: 0;
  minP: 0;
  presencePenalty: 0;
  frequencyPenalty: 0;
  repetitionPenalty: 1;
}

/** `batch.json`. */
export interface StepBatch {
  version: 1;
  stepKey: string;
  base: HashedFolder;
  /** The checkpoint that the step starts from; null: the base. */
  parent: HashedFolder | null;
  adapter: Adapter;
  algorithm: Readonly<Record<string, unknown>> & { name: string };
  optimizer: Optimizer;
  seed: number;
  tokenizer: Tokenizer;
  limits: { maxTokens: number; microBatch: number };
  rollouts: readonly StepRollout[];
}

/** `result.json`, as far as it is read here. */
export interface StepResult {
  stepKey: string;
  /** The hash of the new checkpoint, which lies in a folder named by the step's key. */
  checkpoint: string;
  metrics: Readonly<Record<string, number>>;
  versions: Readonly<Record<string, unknown>>;
  seconds: Readonly<Record<string, number>>;
  skipped: readonly { id: string; reason: string }[];
}
