import type { Gate } from './gates/gate.ts';
import type { Adapter, Optimizer } from './step.ts';

/** How a policy learns, in the numbers of the contract; the loop reads nothing else of a method. */
export interface UpdatePlan {
  /** Samples that one update learns from. */
  batch: number;
  /** Samples of one prompt and one parent; divides `batch`. */
  group: number;
  /** Updates that a sample may be behind the newest one it will be learnt with. 0: lock step, no sample is drawn while an update is due. */
  staleness: number;
  /** Seconds after the last outcome of a batch after which samples without one are left out of it; null: by the budget of a run. */
  lateSeconds: number | null;
  /** Versions whose weights stay, the newest ones. */
  keep: number;
  /** `algorithm` of a step, with every number that the trainer asks for. */
  algorithm: Readonly<Record<string, unknown>> & { name: string };
  optimizer: Optimizer;
  adapter: Adapter;
  /** Rollouts that a forward pass holds. */
  microBatch: number;
  /** Most tokens of a prompt with its completion, also of a teacher's. */
  maxTokens: number;
  /** A second prompt with feedback, by which the policy judges its own samples; null where the algorithm has no teacher. */
  teacher: Teacher | null;
  /** Rules on an update's metrics, in order. */
  gates: readonly Gate[];
}

/** Words of a self-teacher's prompt. */
export interface Teacher {
  /** Whether a peer's better answer of the same group is shown. */
  solutions: boolean;
  /** By class of outcome, with `{reason}`, `{value}` and `{answer}` to be filled in; a class without a text has no feedback. */
  feedback: Readonly<Record<string, string>>;
}
