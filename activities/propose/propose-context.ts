import type { Trial } from '../../db/trial/proposal.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { EditScope } from '../../domain/edit/scope/edit-scope.ts';
import type { ToolCallText } from '../../domain/edit/tools/tool-call.ts';
import type { Failure } from '../../domain/trial.ts';
import type { ActivityDeps } from '../deps.ts';

/** Changed files, with the proposer's reason. */
export interface Proposed {
  files: Record<string, string>;
  hypothesis: string;
  expectedDelta: number | null;
  edits: unknown;
  /** New text of the model's memory; absent: the answer leaves it. */
  memory?: string;
  /** Stored as the trial's proposer instead of the chosen one, such as `neighbours`, with the reason. */
  by?: { proposer: string; reason: string };
}

/** A proposer's answer: a changed set of mutable files, or the reason why there is none. */
export type Proposal = { ok: true; proposed: Proposed } | { ok: false; failure: Failure };

/** A job that makes the proposal. */
export interface ProposalJob {
  jobId: string;
  pool: string;
}

/** The trial with its stored proposal, the reason why there is none, or the job that makes it. */
export type Made = Trial | { rejected: Failure } | { job: ProposalJob };

/** True if a mixture has an arm that is not down, and needs another endpoint or another model than a trial's arm. */
export interface OtherArms {
  ofOtherEndpoint: boolean;
  ofOtherModel: boolean;
}

export interface ProposeContext {
  deps: ActivityDeps;
  trial: Trial;
  version: TaskVersion;
  /** Files and lines that the proposal may change. */
  scope: EditScope;
  /** The parent's mutable files. */
  files: Record<string, string>;
  signal: AbortSignal;
  /** Other arms of the mixture that can make the proposal while this arm's endpoint, or its model, is down. */
  otherArms?: OtherArms;
  /** True if a call for an earlier arm of the trial reached its deadline in this attempt. */
  wasLate?: boolean;
}

/** A model's answer, as the endpoint sent it. */
export interface ModelAnswer {
  text: string;
  /** Tool calls; absent: none. */
  toolCalls?: ToolCallText[];
  finishReason: string | null;
  refusal: string | null;
  /** The error that stands for the answer, if the finish reason is `nothing`. */
  why?: string;
}

/** The last answer, and the reason why it could not be used. */
export interface UnusableAnswer {
  answer: string;
  reason: string;
  /** True: it was to be a tool call, and had none. */
  lacksCalls?: boolean;
}
