import type { Trial } from '../../db/trial/proposal.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Failure } from '../../domain/trial.ts';
import type { ActivityDeps } from '../deps.ts';

/** What a proposer changed, and why. */
export interface Proposed {
  files: Record<string, string>;
  hypothesis: string;
  expectedDelta: number | null;
  edits: unknown;
  /** The name to store in place of the chosen proposer's, and why. */
  by?: { proposer: string; reason: string };
}

/** A proposer's answer: a changed set of mutable files, or why there is none. */
export type Proposal = { ok: true; proposed: Proposed } | { ok: false; failure: Failure };

export interface ProposeContext {
  deps: ActivityDeps;
  trial: Trial;
  version: TaskVersion;
  /** The parent's mutable files. */
  files: Record<string, string>;
  signal: AbortSignal;
}

/** A model's words, as the endpoint sent them. */
export interface ModelAnswer {
  text: string;
  finishReason: string | null;
  refusal: string | null;
}

/** The last answer and why it could not be used. */
export interface Correction {
  answer: string;
  reason: string;
}
