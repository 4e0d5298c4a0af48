import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { Board } from '../../activities/index.ts';
import { describeIssue, ResearchArgs } from '../../domain/messages.ts';
import type { Senders } from '../../domain/messages/sender.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import type { WindowState } from '../../domain/window/window.ts';

/** State that one run of the chain passes to the next by continue-as-new. */
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
  /** Absent in a run of an older build. */
  retries?: boolean;
  /** Absent in a run of an older build. */
  senders?: Senders;
}

export interface ResearchInput extends ResearchArgs {
  /** State of the run before, after continue-as-new. */
  carry?: Carry;
}

export interface ResearchResult {
  reason: string;
  trials: number;
  board: Board | null;
}

/**
 * Parses the input that a person passed with `--input`. A refusal ends the workflow and names the key and the expected
 * value.
 */
export function parseInput(raw: unknown): ResearchInput {
  if (workflowInfo().workflowId.includes('\0'))
    throw ApplicationFailure.nonRetryable(
      'workflow id: expected one without a NUL character, which the database cannot hold; start it under another one',
      'BadInput',
    );
  const parsed = ResearchArgs.safeParse(raw ?? {});
  // Not checked again after continue-as-new: a limit that a newer version added must not end a running research.
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
