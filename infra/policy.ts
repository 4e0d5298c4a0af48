import type { PolicyPrompt } from '../domain/learning/policy-prompt.ts';
import type { HashedFolder, PolicyVersion, StepBatch, StepResult, Tokenizer } from '../domain/learning/step.ts';

/** A model with its versions that samples and learns, behind a unix socket. */

export interface SampleRequest {
  /** The model: a name that this build knows, or the absolute path of a folder or of a GGUF file. */
  base: string;
  /** The checkpoint that is sampled; null: the base. */
  version: HashedFolder | null;
  prompt: PolicyPrompt;
  maxTokens: number;
  /** Of this one sample: who shares its batch does not matter. */
  seed: number;
  /** In all, the start of a server not counted. */
  deadlineSeconds: number;
}

/** One completion at T = 1 and full support, with its tokens as they were sampled and their log-probabilities in nats. */
export interface Sample {
  text: string;
  finishReason: string | null;
  policyVersion: PolicyVersion;
  promptIds: number[];
  completionIds: number[];
  logprobs: number[];
  latencySeconds: number;
}

/** Facts about a model that a batch states. */
export interface PolicyFacts {
  base: HashedFolder;
  tokenizer: Tokenizer;
}

/**
 * `down`: not there, starting, or it died: may heal. `refused`: this request, or this batch, will be refused again.
 * `failed`: it tried and could not.
 */
export type PolicyErrorKind = 'down' | 'refused' | 'failed';

export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly kind: PolicyErrorKind;
  constructor(message: string, { kind }: { kind: PolicyErrorKind }) {
    super(message);
    this.kind = kind;
  }
}

/** Checkpoints on the disk, each in a folder named by its step's key. */
export interface Checkpoints {
  /** The folder of one that a step has made, or would make. */
  folder(stepKey: string): string;
  /** Steps' keys of those that are there, also of what a dead process has left of one that it removed. */
  list(): Promise<string[]>;
  /** Bytes of the files in a folder, of a checkpoint or of a model; 0 where it is not there. */
  bytes(folder: string): Promise<number>;
  /** Removes it, at once as far as others see; repeated, it removes what is left. */
  remove(stepKey: string): Promise<void>;
}

/** Starts the server of a model where none answers. All throw {@link PolicyError}, or the signal's reason when it aborts. */
export interface Policy {
  checkpoints: Checkpoints;
  facts(base: string, signal: AbortSignal): Promise<PolicyFacts>;
  sample(request: SampleRequest, signal: AbortSignal): Promise<Sample>;
  /** Token ids of a prompt: of a conversation with the template's opening of an answer. */
  tokenize(base: string, prompt: PolicyPrompt, signal: AbortSignal): Promise<number[]>;
  /** One update; a key that is done is answered from disk, one that is at work is joined. */
  step(batch: StepBatch, of: { base: string }, signal: AbortSignal): Promise<StepResult>;
}
