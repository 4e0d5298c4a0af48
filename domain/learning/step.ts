/** The JSON contract of a step with the trainer. `trainer/perpetua_trainer/batch.py` rejects any deviation. */

/** A folder and the hash of its content, 64 hexadecimal digits. */
export interface HashedFolder {
  path: string;
  sha256: string;
}

/** The weights that learn. */
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

/** Hashes of the tokenizer: of `tokenizer.json`, and of the chat template's text. */
export interface Tokenizer {
  sha256: string;
  template: string;
}

/** The name of the version that a sample came from: a checkpoint's hash, or `base`. */
export type PolicyVersion = string;

/** A sampled completion with its outcome. Tokens are as sampled; log-probabilities are in nats at temperature 1. */
export interface StepRollout {
  id: string;
  group: string;
  policyVersion: PolicyVersion;
  promptIds: readonly number[];
  completionIds: readonly number[];
  logprobs: readonly number[];
  /** One entry per token of the completion; 1: the step learns from the token. */
  lossMask: readonly (0 | 1)[];
  /** One entry per token of the completion; 1: its entropy counts. If missing, it is the loss mask. */
  entropyMask?: readonly (0 | 1)[];
  /** One entry per token of prompt and completion; 1: the model attends to the token. Null: to all. */
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
  /** Checkpoint that the step starts from; null: the base. */
  parent: HashedFolder | null;
  /** Checkpoint that takes the place of the base in a KL term and in a teacher; absent: the base. */
  reference?: HashedFolder;
  adapter: Adapter;
  algorithm: Readonly<Record<string, unknown>> & { name: string };
  optimizer: Optimizer;
  seed: number;
  tokenizer: Tokenizer;
  /** `gradientCheckpointing` is left out if it is off, so that batches of version 0.2 keep their keys. */
  limits: { maxTokens: number; microBatch: number; gradientCheckpointing?: true };
  rollouts: readonly StepRollout[];
}

/** The fields of `result.json` that TypeScript reads. */
export interface StepResult {
  stepKey: string;
  /** Hash of the new checkpoint, whose folder is named by the step's key. */
  checkpoint: string;
  metrics: Readonly<Record<string, number>>;
  versions: Readonly<Record<string, unknown>>;
  seconds: Readonly<Record<string, number>>;
  skipped: readonly { id: string; reason: string }[];
}
