import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { Board } from '../../activities/index.ts';
import { describeIssue, ResearchArgs } from '../../domain/messages.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import type { WindowState } from '../../domain/window/window.ts';

/** What one run of the chain hands to the next. */
export interface Carry {
  taskName: string;
  pool: string;
  whenSpent: 'stop' | 'wait';
  searchAttributes: boolean;
  inflight: TrialSpec[];
  paused: boolean;
  stopping: 'drain' | 'now' | null;
  fixedWindow: number | null;
  window: WindowState;
  ended: number;
  started: number;
  activeSeconds: number;
  endpointDown: string | null;
  pacedUntil: number;
  board: Board | null;
  alerts: string[];
  published: string;
  windowUnheard: boolean;
}

export interface ResearchInput extends ResearchArgs {
  /** Set by the run before. */
  carry?: Carry;
}

export interface ResearchResult {
  reason: string;
  trials: number;
  board: Board | null;
}

/** Checks what a person typed after `--input`; a refusal ends the workflow with the key and what was expected. */
export function parseInput(raw: unknown): ResearchInput {
  if (workflowInfo().workflowId.includes('\0'))
    throw ApplicationFailure.nonRetryable(
      'workflow id: expected one without a NUL character, which the database cannot hold; start it under another one',
      'BadInput',
    );
  const parsed = ResearchArgs.safeParse(raw ?? {});
  // A limit that is newer than a research does not end it: its input was taken when it began.
  if (!parsed.success && workflowInfo().continuedFromExecutionRunId !== undefined) return raw as ResearchInput;
  if (!parsed.success)
    throw ApplicationFailure.nonRetryable(
      `input: ${describeIssue(parsed.error, raw)}; expected for example {"task":"nano-lm"}`,
      'BadInput',
    );
  const input = parsed.data as ResearchInput;
  if (input.carry !== undefined && workflowInfo().continuedFromExecutionRunId === undefined)
    throw ApplicationFailure.nonRetryable(
      'input: carry: is written by the run before, not by people; leave it out',
      'BadInput',
    );
  return input;
}
