import type { PolicyPrompt } from '../domain/learning/policy-prompt.ts';
import type { HashedFolder, PolicyVersion, StepBatch, StepResult, Tokenizer } from '../domain/learning/step.ts';

// The port to a policy: a model with versions, which samples and learns, behind a unix socket or an endpoint.

export interface SampleRequest {
  /** The model: a name that this build knows, or the absolute path of a folder or of a GGUF file. */
  base: string;
  /** The checkpoint to sample; null: the base. */
  version: HashedFolder | null;
  prompt: PolicyPrompt;
  maxTokens: number;
  /** Texts that end the completion; the text of the sample ends before the first of them. */
  stop?: readonly string[];
  /** Seed of this sample alone, independent of the other samples in its batch. */
  seed: number;
  /** Total time in seconds, without the start of a server. */
  deadlineSeconds: number;
}

/** One completion at T = 1 and full support, with the sampled tokens and their log-probabilities in nats. */
export interface Sample {
  text: string;
  finishReason: string | null;
  policyVersion: PolicyVersion;
  promptIds: number[];
  completionIds: number[];
  logprobs: number[];
  /** Position in `text`, in characters of Unicode, at which each token begins; null if the server does not give it. */
  offsets: number[] | null;
  latencySeconds: number;
}

/** Facts about a model that a batch states. */
export interface PolicyFacts {
  base: HashedFolder;
  tokenizer: Tokenizer;
}

/**
 * `down`: the server is absent, starting or dead, so a retry may succeed. `refused`: the server would refuse this
 * request or batch again. `failed`: the server tried and failed.
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

/** A base that a policy cannot begin with: the expected form, and what is wrong. */
export interface BaseProblem {
  expected: string;
  why: string;
}

/** Checkpoints on disk, each in a folder named by the key of its step. */
export interface Checkpoints {
  /** Path of a step's checkpoint, which may not exist. */
  folder(stepKey: string): string;
  /** Step keys of the existing checkpoints, including those whose removal a dead process left unfinished. */
  list(): Promise<string[]>;
  /** Bytes of the files in the folder of a checkpoint or a model; 0 if it does not exist. */
  bytes(folder: string): Promise<number>;
  /** Removes a checkpoint; it disappears at once for other processes. A repeat finishes an interrupted removal. */
  remove(stepKey: string): Promise<void>;
}

/** Starts a model's server if none answers. All verbs throw {@link PolicyError}, or the reason of the signal. */
export interface Policy {
  checkpoints: Checkpoints;
  /** Reason why a base, the name of a model or a path, cannot be loaded; null if none is visible. Starts no server. */
  findBaseProblem(base: string): Promise<BaseProblem | null>;
  facts(base: string, signal: AbortSignal): Promise<PolicyFacts>;
  /** `tell` receives the progress of a start that lasts, such as of a model's conversion. */
  sample(request: SampleRequest, signal: AbortSignal, tell?: (line: string) => void): Promise<Sample>;
  /** Token ids of a prompt; for a conversation, with the template's opening of the answer. */
  tokenize(base: string, prompt: PolicyPrompt, signal: AbortSignal): Promise<number[]>;
  /** Carries out one update. By its key, a finished step is answered from disk, and a running step is joined. */
  step(batch: StepBatch, model: { base: string }, signal: AbortSignal): Promise<StepResult>;
}
