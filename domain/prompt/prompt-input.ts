import type { z } from 'zod';
import type { Environment } from '../schema/environment.ts';
import type { Evaluator } from '../schema/evaluator.ts';
import type { Metric, Progress, SecondaryMetric } from '../schema/metric.ts';
import type { Run } from '../schema/run.ts';
import type { Failure, ShownVerdict, TrialStatus } from '../trial.ts';

/** A measured value: the mean of `n` runs and the standard deviation of one. */
export interface MeasuredValue {
  value: number;
  sd: number | null;
  n: number;
}

/** Another trial by its number (null: the original), and the mean of its candidate's runs. */
export interface Relative {
  n: number | null;
  value: number | null;
}

/** How a known candidate did, or that it is still running (`status` null). */
export interface KnownOutcome {
  n: number;
  status: TrialStatus | null;
  failure: Failure | null;
  value: number | null;
}

/** One ended trial as a proposer is told of it. */
export interface HistoryEntry {
  n: number;
  candidateId?: string | null;
  hypothesis: string;
  status: TrialStatus;
  failure: Failure | null;
  value: number | null;
  verdict: ShownVerdict;
  reason: string;
  /** What its files were made from. */
  parent?: Relative | null;
  /** Mean of its candidate's runs where there are more than one, those for verdicts too. */
  mean?: { value: number; n: number } | null;
  expectedDelta?: number | null;
  /** Wall clock of its run. */
  seconds?: number | null;
  /** Secondary metrics. */
  metrics?: Readonly<Record<string, number>>;
  /** The evaluator's words. */
  notes?: string | null;
  /** Some points of its learning curve, in order. */
  curve?: readonly { step: number; value: number }[];
  /** The trial that it is a copy of, as that one stands now; only where it is `cached`. */
  copiedTrial?: KnownOutcome | null;
  /** CPU seconds of its run and of what answered for it; null where nothing ran. */
  cpuSeconds?: number | null;
  /** Unified diff against its parent. */
  diff?: string | null;
  /** Last part of the run's output, for failures. */
  log?: string | null;
}

/** A proposal that has no outcome yet. */
export interface UnderWay {
  n: number;
  hypothesis: string;
  diff: string | null;
}

/** Facts of a task that tell what a run may do; a prompt without them leaves their lines out. */
interface TaskFacts {
  run?: Pick<Run, 'command' | 'budget'> &
    Partial<Pick<Run, 'timeoutSeconds' | 'artefacts' | 'resources' | 'sandbox' | 'env'>>;
  evaluator?: z.output<typeof Evaluator>;
  secondary?: readonly z.output<typeof SecondaryMetric>[];
  progress?: Progress | undefined;
  environment?: Environment | undefined;
}

/** All that a prompt is made of. */
export interface PromptInput {
  task: TaskFacts & {
    name: string;
    description: string;
    metric: Pick<Metric, 'name' | 'direction'> & Partial<Pick<Metric, 'unit' | 'min' | 'max' | 'optimum' | 'minDelta'>>;
  };
  /** The task's own text for the proposer. */
  prompt: string | null;
  /** The parent's mutable files: path to text. */
  files: Record<string, string>;
  /** Where the files come from; null for the task's original. */
  parent: { trialN: number | null; value: number | null; n: number } | null;
  incumbent: MeasuredValue | null;
  baseline: MeasuredValue | null;
  /** The last outcomes. */
  history: readonly HistoryEntry[];
  /** The best outcomes, best first; some may be in `history`, too. */
  best?: readonly HistoryEntry[];
  underWay?: readonly UnderWay[];
  /** Read-only files that the task shows: path to text. */
  readOnly?: Readonly<Record<string, string>>;
  /** Packages of the task's environment, each with its version. */
  packages?: readonly string[];
  /** What the machines of the task's pool have, one line each. */
  hardware?: readonly string[];
  /** Advice of people, oldest first. */
  notes: readonly string[];
  /** The last answer and why it could not be used. */
  correction?: { answer: string; reason: string };
}

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}
