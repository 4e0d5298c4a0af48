import type { FailureLabel, TrialStatus } from '../trial.ts';
import { type OutcomeClass, outcomeClassOf } from './outcome-class.ts';
import type { AnswerTokens } from './answer-tokens.ts';
import type { PolicyPrompt } from './policy-prompt.ts';
import type { PolicyVersion } from './step.ts';

/** A policy's answer to a prompt. `logprobs` has one value in nats for each token of the completion. */
export interface DrawnSample {
  policyVersion: PolicyVersion;
  prompt: PolicyPrompt;
  /** The completion. */
  text: string;
  promptIds: readonly number[];
  completionIds: readonly number[];
  logprobs: readonly number[];
  /** Tokens that decide the answer; null: all of them do. */
  answerTokens: AnswerTokens | null;
}

/** How a trial ended. */
export interface TrialEnding {
  status: TrialStatus;
  failure: FailureLabel | null;
}

/** A stored proposal of a policy, with the outcome of its trial. */
export interface LearningRollout extends TrialEnding {
  /** Id of the trial. */
  id: string;
  group: string;
  /** Null if the policy drew nothing, or if the stored draw no longer belongs to this trial. */
  sample: DrawnSample | null;
  /** Null if the outcome has no reward, or none yet. */
  reward: number | null;
  /** End of a run of the same candidate, for a copy that did not run; else null. */
  first: TrialEnding | null;
  /** True if the candidate was known, whether it ran again or not. */
  isCopy: boolean;
  /** Mean of its candidate's values so far, in units of the metric. */
  value: number | null;
  /** Reason for the end, as a sentence, or null. */
  reason: string | null;
  /** Tokens of the teacher's prompt; null without a teacher. */
  teacherPromptIds: readonly number[] | null;
  /** Feedback text in the teacher's prompt, or null. */
  feedback: string | null;
}

/**
 * The outcome class of a rollout; a copy that did not run has that of a run. Null if the outcome says nothing about the
 * proposal.
 */
export const classOf = ({ status, first }: Pick<LearningRollout, 'status' | 'first'>): OutcomeClass | null =>
  outcomeClassOf(first?.status ?? status);
