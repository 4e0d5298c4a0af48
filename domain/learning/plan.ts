import type { Gate } from './gates/gate.ts';
import type { Adapter, Optimizer } from './step.ts';

/**
 * Settings of a policy's learning, in the terms of the trainer's contract; the loop reads no other part of a method.
 */
export interface UpdatePlan {
  /** Samples that one update learns from. */
  batch: number;
  /** Samples of one prompt and one parent; divides `batch`. */
  group: number;
  /**
   * Largest number of updates between the version that draws a sample and the update that learns from it. 0: lock step;
   * no sample is drawn while an update is due.
   */
  staleness: number;
  /**
   * Seconds after a batch's last outcome at which it excludes samples without an outcome; null: by the run's budget.
   */
  lateSeconds: number | null;
  /** Number of newest versions whose weights stay. */
  keep: number;
  /** Held-out evaluation of every `every`th version with `samples` samples; null: none. */
  evaluation: EvaluationPlan | null;
  /** `algorithm` of a step, with every number that the trainer requires. */
  algorithm: Readonly<Record<string, unknown>> & { name: string };
  optimizer: Optimizer;
  adapter: Adapter;
  /** Rollouts in one forward pass. */
  microBatch: number;
  /** Largest number of tokens of a prompt, the student's or the teacher's, with its completion. */
  maxTokens: number;
  /**
   * Tokens of an answer that loss, entropy and gates count. `answer`: of an answer in knobs, those up to the last
   * value, with the token that ends it.
   */
  tokens: 'answer' | 'all';
  /** True: the backward pass computes the activations of a layer again. */
  gradientCheckpointing: boolean;
  /** Second prompt, with feedback, with which the policy judges its samples; null if the algorithm has no teacher. */
  teacher: Teacher | null;
  /** Rules on an update's metrics, in order. */
  gates: readonly Gate[];
  /** Gates that would adjust a learning rate of 0; no update judges them. */
  gatesLeftOut: readonly Gate[];
}

/** Held-out evaluation within a research. */
export interface EvaluationPlan {
  every: number;
  samples: number;
}

/** Settings of a self-teacher's prompt. */
export interface Teacher {
  /** True: the prompt shows a better answer from the same group. */
  solutions: boolean;
  /**
   * Texts by outcome class, with the placeholders `{reason}`, `{value}` and `{answer}`; a class without one has no
   * feedback.
   */
  feedback: Readonly<Record<string, string>>;
}
