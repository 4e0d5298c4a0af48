import type { FailureLabel, TrialStatus } from '../trial.ts';
import { type OutcomeClass, outcomeClassOf } from './outcome-class.ts';
import type { PolicyPrompt } from './policy-prompt.ts';
import type { PolicyVersion } from './step.ts';

/** A policy's answer to a prompt: log-probabilities in nats, one a token of the completion. */
export interface DrawnSample {
  policyVersion: PolicyVersion;
  prompt: PolicyPrompt;
  /** The completion. */
  text: string;
  promptIds: readonly number[];
  completionIds: readonly number[];
  logprobs: readonly number[];
}

/** How a trial ended. */
export interface TrialEnding {
  status: TrialStatus;
  failure: FailureLabel | null;
}

/** A proposal of a policy and what came of it, as stored. */
export interface LearningRollout extends TrialEnding {
  /** The trial's. */
  id: string;
  group: string;
  /** Null: nothing was drawn, or what was drawn is not that of this trial any more. */
  sample: DrawnSample | null;
  /** Null: the outcome has none, or none yet. */
  reward: number | null;
  /** The end of the trial that had the same candidate before; null where this one is no copy. */
  first: TrialEnding | null;
  /** In units of the metric; of a copy the first one's. */
  value: number | null;
  /** Why it ended so, in a sentence, or null. */
  reason: string | null;
  /** Tokens of the prompt that its teacher reads; null where it has no teacher. */
  teacherPromptIds: readonly number[] | null;
  /** Words of the outcome that are among them, or null. */
  feedback: string | null;
}

/** The class of a rollout's outcome, of a copy that of the first one; null where it says nothing of the proposal. */
export const classOf = ({ status, first }: Pick<LearningRollout, 'status' | 'first'>): OutcomeClass | null =>
  outcomeClassOf(first?.status ?? status);
