/**
 * Kinds of trials. Only `search` and `injected` carry a new proposal. `evaluation` is a sample of a policy's version
 * from which nothing is learnt; `ablation` runs a claim without one of its edits; the others run a known candidate
 * again.
 */
export const TRIAL_KINDS = [
  'search',
  'baseline',
  'confirm',
  'remeasure',
  'injected',
  'evaluation',
  'ablation',
] as const;
export type TrialKind = (typeof TRIAL_KINDS)[number];

/** Kinds that are no part of the search: no gate, parent rule, proposer, prompt or training reads their trials. */
export const KINDS_OUTSIDE_SEARCH = ['evaluation', 'ablation'] as const satisfies TrialKind[];

/** True for a trial that is no part of the search. */
export const isOutsideSearch = ({ kind }: { kind: TrialKind }): boolean =>
  (KINDS_OUTSIDE_SEARCH as readonly TrialKind[]).includes(kind);

/** Kinds that carry a new proposal. */
export const PROPOSAL_KINDS: readonly TrialKind[] = ['search', 'injected'];

/**
 * Statuses of an ended trial. `aborted` is censored (stopped early), not failed; `lost` is the infrastructure's fault.
 */
export const TRIAL_STATUSES = [
  'completed',
  'aborted',
  'crashed',
  'timed_out',
  'diverged',
  'rejected',
  'cached',
  'lost',
] as const;
export type TrialStatus = (typeof TRIAL_STATUSES)[number];

/**
 * True if a proposal brought a known candidate, whether it ran or not. `runsBefore`: runs of the candidate before it.
 */
export const isCopy = ({ status, runsBefore }: { status: TrialStatus | null; runsBefore: number | null }): boolean =>
  status === 'cached' || (runsBefore ?? 0) > 0;

/** Statuses without a score, except copies (`cached`) and intended stops (`aborted`). */
export const FAILED_STATUSES = [
  'crashed',
  'timed_out',
  'diverged',
  'rejected',
  'lost',
] as const satisfies TrialStatus[];
export type FailedStatus = (typeof FAILED_STATUSES)[number];

/** Verdicts of the gate on a trial; `none` if it was not up for a verdict. */
export const VERDICTS = ['keep', 'discard', 'confirm', 'none'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Verdicts as people and proposers see them. `absorbed`: the trial has no claim, and its edit is in the lead. */
export const SHOWN_VERDICTS = ['keep', 'absorbed', 'discard', 'confirm', 'none'] as const satisfies (
  Verdict | 'absorbed'
)[];
export type ShownVerdict = (typeof SHOWN_VERDICTS)[number];

/**
 * Failures of a candidate's text before its run. A correction of comments alone may pass, and so may the same text
 * under another version of the task.
 */
export const PREFLIGHT_FAILURES = ['size-blocked', 'forbidden-name', 'preflight-failed'] as const;

/** Labels of failures, so that proposers and reports can distinguish them. */
export const FAILURE_LABELS = [
  // rejected: nothing ran
  'unreadable-answer',
  'edit-does-not-apply',
  'edit-outside-mutable',
  'outside-specialist',
  'no-change',
  'refusal',
  'proposer-failed',
  'nothing-new',
  'evaluator-changed',
  ...PREFLIGHT_FAILURES,
  // crashed
  'exit-code',
  'signal',
  'out-of-memory',
  'too-many-processes',
  'output-limit',
  'disk-limit',
  'launch-failed',
  'setup-failed',
  'immutable-changed',
  'artefact-missing',
  'artefact-too-large',
  'artefact-executes-code',
  'no-metric',
  'metric-not-finite',
  'metric-out-of-bounds',
  'metric-unreadable',
  'evaluator-failed',
  'evaluator-timeout',
  'candidate-protocol',
  'call-limit',
  // timed_out
  'wall-clock',
  'cpu-time',
  'too-slow',
  // diverged
  'not-finite',
  'diverged',
  'stalled',
  // aborted
  'cannot-win',
  'stopped-by-operator',
  // lost
  'machine-lost',
  'contended',
  'workflow-closed',
  'database-failed',
  'infrastructure',
] as const;
export type FailureLabel = (typeof FAILURE_LABELS)[number];

/** A failure of any kind. */
export interface Failure {
  label: FailureLabel;
  /** One sentence with the expected and the actual value. */
  message: string;
}

/** Data with which a research starts a trial's workflow; small, since it is stored in history. */
export interface TrialSpec {
  trialId: string;
  n: number;
  kind: TrialKind;
  /** Set for every kind that runs a known candidate. */
  candidateId: string | null;
  ofTrial: number | null;
  seed: number;
  taskHash: string;
  pool: string;
}

/** Message from an ended trial to its research. Plain JSON. */
export interface TrialEnded {
  n: number;
  status: TrialStatus;
  verdict: Verdict;
  /** Seconds that the slot was free before this trial took it; null if nothing ran. */
  slotWaitSeconds: number | null;
  /** Seconds from the ready candidate to its start on a slot. */
  readyWaitSeconds: number | null;
  /** Seconds from the trial's start to a ready candidate. */
  proposeSeconds: number | null;
  /** Seconds on the slot. */
  slotSeconds: number | null;
  /** Run id of the research workflow in charge when the outcome was stored; null if none was recorded. */
  researchRun: string | null;
}
