import type { z } from 'zod';
import type { EditRules } from '../schema/edits.ts';
import type { Environment } from '../schema/environment.ts';
import type { Evaluator } from '../schema/evaluator.ts';
import type { Metric, Progress, SecondaryMetric } from '../schema/metric.ts';
import type { Run } from '../schema/run.ts';
import type { Inspiration, Lineage, Memory, ShownFeedback, Stalls } from './search-facts.ts';
import type { Specialist } from '../search/specialist/specialist.ts';
import type { Failure, ShownVerdict, TrialStatus } from '../trial.ts';

/** A measured value: the mean of `n` runs, and the standard deviation of one run. */
export interface MeasuredValue {
  value: number;
  sd: number | null;
  n: number;
}

/** A parent by its trial number (null: the original), and the mean of its candidate's runs. */
export interface Relative {
  n: number | null;
  value: number | null;
}

/** Outcome of a known candidate; `status` is null while it runs. */
export interface KnownOutcome {
  n: number;
  status: TrialStatus | null;
  failure: Failure | null;
  value: number | null;
}

/** An ended trial, as a proposer's prompt shows it. */
export interface HistoryEntry {
  n: number;
  candidateId?: string | null;
  hypothesis: string;
  status: TrialStatus;
  failure: Failure | null;
  value: number | null;
  verdict: ShownVerdict;
  reason: string;
  /** Candidate from which its files were made. */
  parent?: Relative | null;
  /** Mean of all runs of its candidate, runs for verdicts included, if there is more than one. */
  mean?: { value: number; n: number } | null;
  expectedDelta?: number | null;
  /** Wall-clock seconds of its run. */
  seconds?: number | null;
  /** Secondary metrics. */
  metrics?: Readonly<Record<string, number>>;
  /** Notes of the evaluator. */
  notes?: string | null;
  /** Selected points of its learning curve, in order. */
  curve?: readonly { step: number; value: number }[];
  /** Current outcome of the trial that it copies; only if it is `cached`. */
  copiedTrial?: KnownOutcome | null;
  /** CPU seconds of its run and its answering program; null if nothing ran. */
  cpuSeconds?: number | null;
  /** Unified diff against its parent. */
  diff?: string | null;
  /** Tail of the run's output, for failures. */
  log?: string | null;
}

/** A proposal that has no outcome yet. */
export interface UnderWay {
  n: number;
  hypothesis: string;
  diff: string | null;
}

/** The change that an operator asks for. */
export interface AskedChange {
  /** Request at the end of the prompt. */
  request: string;
  /** A second candidate, by its differences from `files`; `n`: its trial, null if it has none. */
  secondParent?: { n: number | null; value: number | null; diff: string };
  /** The crash of the candidate whose files are shown. */
  crash?: { n: number; failure: Failure; log: string | null };
}

/** Facts of a task about what a run may do. A prompt leaves out the lines of missing facts. */
interface TaskFacts {
  run?: Pick<Run, 'command' | 'budget'> &
    Partial<Pick<Run, 'timeoutSeconds' | 'artefacts' | 'resources' | 'sandbox' | 'env'>>;
  evaluator?: z.output<typeof Evaluator>;
  secondary?: readonly z.output<typeof SecondaryMetric>[];
  progress?: Progress | undefined;
  environment?: Environment | undefined;
  edits?: EditRules;
}

/** Input of a prompt. */
export interface PromptInput {
  task: TaskFacts & {
    name: string;
    description: string;
    metric: Pick<Metric, 'name' | 'direction'> &
      Partial<Pick<Metric, 'unit' | 'min' | 'max' | 'optimum' | 'known' | 'minDelta'>>;
  };
  /** The task's own text for the proposer. */
  prompt: string | null;
  /** The parent's mutable files: path to text. */
  files: Record<string, string>;
  /** Trial that made `files`; null for the task's original. */
  parent: { trialN: number | null; value: number | null; n: number } | null;
  incumbent: MeasuredValue | null;
  baseline: MeasuredValue | null;
  /** The last outcomes. */
  history: readonly HistoryEntry[];
  /** The best outcomes, best first; some may be in `history`, too. */
  best?: readonly HistoryEntry[];
  underWay?: readonly UnderWay[];
  lineage?: Lineage;
  inspirations?: readonly Inspiration[];
  stalls?: Stalls;
  /** Cases of the evaluator that proposers may read. */
  feedback?: readonly ShownFeedback[];
  /** The model's memory; null: it is empty. Undefined: the model keeps none. */
  memory?: Memory | null;
  /** Read-only files that the task shows: path to text. */
  readOnly?: Readonly<Record<string, string>>;
  /** Packages of the task's environment, each with its version, such as `numpy 2.1.0`. */
  packages?: readonly string[];
  /** Versions of the Python and the Node of runs, a line each, if the task has no environment. */
  programs?: readonly string[];
  /** Immutable files of the workspace; those of `readOnly` may be among them. */
  otherFiles?: readonly { path: string; bytes: number }[];
  /** Hardware of the machines in the task's pool, one line each. */
  hardware?: readonly string[];
  /** True: the model answers with tool calls instead of text. */
  byTools?: boolean;
  /** People's advice, oldest first. */
  notes: readonly string[];
  /** The part of the program that the proposal may change; absent: all of it. */
  specialist?: Specialist;
  /** The change that is asked for; absent: any. */
  asked?: AskedChange;
  /** The last answer and the reason why it could not be used. */
  correction?: { answer: string; reason: string };
}

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}
