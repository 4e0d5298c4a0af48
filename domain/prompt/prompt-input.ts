import type { Metric } from '../task/schema/metric.ts';
import type { Run } from '../task/schema/run.ts';
import type { Failure, ToldVerdict, TrialStatus } from '../trial.ts';

/** A measured value: the mean of `n` runs and the standard deviation of one. */
export interface Measured {
  value: number;
  sd: number | null;
  n: number;
}

/** One ended trial as a proposer is told of it. */
export interface HistoryEntry {
  n: number;
  hypothesis: string;
  status: TrialStatus;
  failure: Failure | null;
  value: number | null;
  verdict: ToldVerdict;
  reason: string;
  /** CPU seconds of its run and of what answered for it; null where nothing ran. */
  cpuSeconds?: number | null;
  /** Unified diff against its parent. */
  diff?: string | null;
  /** Last part of the run's output, for failures. */
  log?: string | null;
}

/** All that a prompt is made of. */
export interface PromptInput {
  task: {
    name: string;
    description: string;
    metric: Pick<Metric, 'name' | 'direction'> & Partial<Pick<Metric, 'unit' | 'min' | 'max' | 'optimum' | 'minDelta'>>;
    run?: { command: string; budget: Run['budget'] };
  };
  /** The task's own text for the proposer. */
  prompt: string | null;
  /** The parent's mutable files: path to text. */
  files: Record<string, string>;
  /** Where the files come from; null for the task's original. */
  parent: { trialN: number | null; value: number | null; n: number } | null;
  incumbent: Measured | null;
  baseline: Measured | null;
  history: readonly HistoryEntry[];
  /** Advice of people, oldest first. */
  notes: readonly string[];
  /** The last answer and why it could not be used. */
  correction?: { answer: string; reason: string };
}

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}
