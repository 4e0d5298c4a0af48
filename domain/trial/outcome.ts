import { assertNever } from '../method/assert-never.ts';
import type { Failure, FailureLabel, TrialKind, TrialStatus, Verdict } from '../trial.ts';

/** How a supervisor says that a run ended. */
export interface ReportedEnd {
  reason: 'exit' | 'wall' | 'cpu' | 'memory' | 'processes' | 'output' | 'disk' | 'killed';
  exitCode: number | null;
  signal: string | null;
  wallSeconds: number;
  cpuSeconds: number;
  /** How long others kept it from a CPU, which sleep is not; absent: unknown. */
  waitSeconds?: number | undefined;
  /** Of one that was ended by `disk` for too many files, folders and links. */
  files?: { allowed: number; seen: number };
  /** The path of a folder that kept a run ended by `disk` from being measured. */
  closed?: string;
}

export interface EndedBadly {
  status: TrialStatus;
  failure: Failure;
}

/** The outcome of a run by its end alone; undefined if it ended well and may be scored. */
export function outcomeOfEnd(end: ReportedEnd, stop: Failure | null, crash: string): EndedBadly | undefined {
  if (stop) return { status: statusOfStop(stop), failure: stop };
  const crashed = (label: Failure['label'], message: string): EndedBadly => ({
    status: 'crashed',
    failure: { label, message },
  });
  switch (end.reason) {
    case 'exit':
      if (end.exitCode === 0) return undefined;
      return end.signal
        ? crashed('signal', `ended by signal ${end.signal}: ${crash}`)
        : crashed('exit-code', `exit code ${end.exitCode ?? 'unknown'}: ${crash}`);
    case 'wall':
      return {
        status: 'timed_out',
        failure: { label: 'wall-clock', message: `stopped after ${round(end.wallSeconds)} s of wall clock` },
      };
    case 'cpu':
      return {
        status: 'timed_out',
        failure: {
          label: 'cpu-time',
          message: `stopped after ${round(end.cpuSeconds)} s of CPU: more than run.budget.most allows`,
        },
      };
    case 'memory':
      return crashed('out-of-memory', 'stopped: more memory than run.resources.memoryMb');
    case 'processes':
      return crashed(
        'too-many-processes',
        'stopped: more processes than run.resources.processes, or most of those that its machine gives',
      );
    case 'output':
      return crashed('output-limit', 'stopped: more output than run.resources.outputMb');
    case 'disk':
      return crashed('disk-limit', diskWords(end));
    case 'killed':
      return { status: 'aborted', failure: { label: 'stopped-by-operator', message: 'stopped by a person' } };
    default:
      return assertNever(end.reason);
  }
}

function diskWords({ files, closed }: Pick<ReportedEnd, 'files' | 'closed'>): string {
  if (files)
    return `stopped: expected at most ${files.allowed} files, folders and links beside the workspace's (run.resources.files), found ${files.seen} or more`;
  if (closed !== undefined)
    return `stopped: expected folders that stay readable, since what a closed folder holds cannot be measured (run.resources.diskMb and files); found ${closed} closed again after it was opened, or another folder closed at each look`;
  return 'stopped: the run directory grew over run.resources.diskMb';
}

function statusOfStop({ label }: Failure): TrialStatus {
  if (label === 'too-slow') return 'timed_out';
  if (label === 'disk-limit') return 'crashed';
  return label === 'not-finite' || label === 'diverged' || label === 'stalled' ? 'diverged' : 'aborted';
}

/** Share of wall clock below which a CPU-budgeted run was disturbed and is run again, never scored. */
const CONTENDED_BELOW = 0.9;
/** Below this many seconds start-up alone decides the share. */
const CONTENDED_FROM_SECONDS = 1;
/** A shorter wait may be a start-up's, or chance. */
const CONTENDED_WAIT_SECONDS = 0.5;

/** True if a CPU-budgeted run went to its end and did not get its core to itself. */
export const isContended = (end: ReportedEnd): boolean =>
  end.reason === 'exit' && end.exitCode === 0 && lackedCore(end);

/**
 * True if a run did not get its core to itself, however it ended: its share of a core is low, and others alone made it so, who kept
 * it from a CPU for the whole part that it may miss. To sleep, or to wait for a disk, is its own doing: however much it slept, it
 * would be contended without that, too. Else a run that has seen a bad score could lie down, to be run again. Where nobody
 * knows how long it waited, it is not contended.
 */
export const lackedCore = (end: ReportedEnd): boolean =>
  end.wallSeconds >= CONTENDED_FROM_SECONDS &&
  end.cpuSeconds / end.wallSeconds < CONTENDED_BELOW &&
  (end.waitSeconds ?? 0) >= Math.max(CONTENDED_WAIT_SECONDS, (1 - CONTENDED_BELOW) * end.wallSeconds);

const round = (seconds: number): number => Math.round(seconds * 10) / 10;

/** A stored trial that ended without a value. */
interface Failed {
  kind: TrialKind;
  status: TrialStatus | null;
  failure: FailureLabel | null;
  failureMessage: string | null;
  evaluatorNotes: string | null;
}

/** The verdict on a trial that ended without a value: a proposal that failed by its own fault is discarded. */
export const verdictOfFailure = ({ kind, status }: Failed): Verdict =>
  (kind === 'search' || kind === 'injected') && status !== 'aborted' && status !== 'lost' && status !== 'cached'
    ? 'discard'
    : 'none';

/** Why a trial ended without a value. */
export function reasonOfFailure({ status, failure, failureMessage, evaluatorNotes }: Failed): string {
  // Of which trial it is a copy, and what became of that one: the next proposal should know.
  const message = status === 'cached' ? evaluatorNotes : failureMessage;
  return `${status}${failure ? ` (${failure})` : ''}${message ? `: ${message}` : ''}`.slice(0, 1000);
}
