import type { Prompt } from '../domain/learning/prompt.ts';
import type { Folder, PolicyVersion, StepBatch, StepRefusal, StepResult, Tokenizer } from '../domain/learning/step.ts';

/** A model with its versions that samples and learns, behind a unix socket. */

export interface SampleRequest {
  /** The model: a name that this build knows, or the absolute path of a folder or of a GGUF file. */
  base: string;
  /** The checkpoint that is sampled; null: the base. */
  version: Folder | null;
  prompt: Prompt;
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
  base: Folder;
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
  readonly refusal: StepRefusal | null;
  constructor(message: string, details: { kind: PolicyErrorKind; refusal?: StepRefusal }) {
    super(message);
    this.kind = details.kind;
    this.refusal = details.refusal ?? null;
  }
}

/** Starts the server of a model where none answers. All throw {@link PolicyError}, or the signal's reason when it aborts. */
export interface Policy {
  /** The folder of the checkpoint that a step has made, or would make. */
  checkpoint(stepKey: string): string;
  facts(base: string, signal: AbortSignal): Promise<PolicyFacts>;
  sample(request: SampleRequest, signal: AbortSignal): Promise<Sample>;
  /** Token ids of a prompt: of a conversation with the template's opening of an answer. */
  tokenize(base: string, prompt: Prompt, signal: AbortSignal): Promise<number[]>;
  /** One update; a key that is done is answered from disk, one that is at work is joined. */
  step(batch: StepBatch, of: { base: string }, signal: AbortSignal): Promise<StepResult>;
}
