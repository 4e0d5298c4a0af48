/** Why a trial runs. Only `search` and `injected` carry a new proposal; the others run a known candidate again. */
export const TRIAL_KINDS = ['search', 'baseline', 'confirm', 'remeasure', 'injected'] as const;
export type TrialKind = (typeof TRIAL_KINDS)[number];

/** Kinds that carry a new proposal. */
export const PROPOSAL_KINDS: readonly TrialKind[] = ['search', 'injected'];

/** How a trial ended. `aborted` is censored (stopped early), not failed; `lost` is the infrastructure's fault. */
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

/** Ends without a score that nobody asked for. */
export const FAILED_STATUSES = [
  'crashed',
  'timed_out',
  'diverged',
  'rejected',
  'lost',
] as const satisfies TrialStatus[];
export type FailedStatus = (typeof FAILED_STATUSES)[number];

/** What the gate said of a trial; `none` where it was not up for a verdict. */
export const VERDICTS = ['keep', 'discard', 'confirm', 'none'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Verdicts as people and proposers are told them; `absorbed`: no claim of its own, and its edit is in the lead. */
export const SHOWN_VERDICTS = ['keep', 'absorbed', 'discard', 'confirm', 'none'] as const satisfies (
  Verdict | 'absorbed'
)[];
export type ShownVerdict = (typeof SHOWN_VERDICTS)[number];

/** A typed label on every failure, so that proposers and reports can tell them apart. */
export const FAILURE_LABELS = [
  // rejected: nothing ran
  'unreadable-answer',
  'edit-does-not-apply',
  'edit-outside-mutable',
  'no-change',
  'refusal',
  'proposer-failed',
  'nothing-new',
  'evaluator-changed',
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
  'no-metric',
  'metric-not-finite',
  'metric-out-of-bounds',
  'metric-unreadable',
  'evaluator-failed',
  'evaluator-timeout',
  'candidate-protocol',
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
  'infrastructure',
] as const;
export type FailureLabel = (typeof FAILURE_LABELS)[number];

/** A failure in one shape, whatever failed. */
export interface Failure {
  label: FailureLabel;
  /** One sentence: what was expected, what came. */
  message: string;
}

/** What `research` needs to know of a trial to start its workflow; small, since it travels in history. */
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

/** What a trial tells `research` when it ends. Plain JSON. */
export interface TrialEnded {
  n: number;
  status: TrialStatus;
  verdict: Verdict;
  /** Seconds that the slot stood free before this trial took it; null where nothing ran. */
  slotWaitSeconds: number | null;
  /** Seconds from the candidate being ready to its start on a slot. */
  readyWaitSeconds: number | null;
  /** Seconds from the trial's start to a ready candidate. */
  proposeSeconds: number | null;
  /** Seconds on the slot. */
  slotSeconds: number | null;
  /** Run id of the research that was in charge when the outcome was stored; null where none has been noted. */
  researchRun: string | null;
}
