import { assertNever } from '../method/assert-never.ts';
import type { Failure, FailureLabel, TrialKind, TrialStatus, Verdict } from '../trial.ts';

/** The end of a run, as its supervisor reports it. */
export interface ReportedEnd {
  reason: 'exit' | 'wall' | 'cpu' | 'memory' | 'processes' | 'output' | 'disk' | 'killed';
  exitCode: number | null;
  signal: string | null;
  wallSeconds: number;
  cpuSeconds: number;
  /** Seconds in which other processes kept the run from a CPU; sleep does not count. Absent: unknown. */
  waitSeconds?: number | undefined;
  /** Load average of the machine over the last minute of the run, and its cores. Absent: unknown. */
  load?: { average: number; cores: number } | undefined;
  /** True if the backstop ended the run by reason `wall`, before it had its time limit. Absent: it did not. */
  backstop?: boolean | undefined;
  /** Numbers of files, folders and links, if the run was ended by `disk` for too many of them. */
  files?: { allowed: number; seen: number };
  /** Path of a folder that prevented the measurement of a run ended by `disk`. */
  closed?: string;
}

export interface EndedBadly {
  status: TrialStatus;
  failure: Failure;
}

/** Descriptions of a run, for the message of its failure. */
interface RunDescription {
  /** Description of its log. */
  crash: string;
  /** Its limit of CPU seconds; null: none. */
  cpuLimit: string | null;
}

/** The outcome of a run that ended badly; undefined if it ended well and can be scored. */
export function outcomeOfEnd(
  end: ReportedEnd,
  stop: Failure | null,
  { crash, cpuLimit }: RunDescription,
): EndedBadly | undefined {
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
        failure: { label: 'wall-clock', message: wallMessage(end) },
      };
    case 'cpu':
      return {
        status: 'timed_out',
        failure: {
          label: 'cpu-time',
          message: `stopped after ${round(end.cpuSeconds)} s of CPU; the limit is ${cpuLimit ?? 'run.budget.most'}`,
        },
      };
    case 'memory':
      return crashed('out-of-memory', 'stopped: more memory than run.resources.memoryMb');
    case 'processes':
      return crashed(
        'too-many-processes',
        'stopped: more processes than run.resources.processes, ' +
          'or the machine reached its own limit, mostly through processes of the run',
      );
    case 'output':
      return crashed('output-limit', 'stopped: more output than run.resources.outputMb');
    case 'disk':
      return crashed('disk-limit', diskMessage(end));
    case 'killed':
      return { status: 'aborted', failure: { label: 'stopped-by-operator', message: 'stopped by a person' } };
    default:
      return assertNever(end.reason);
  }
}

/** Shortest wait for a CPU, in seconds, that the message of a time limit mentions. */
const MENTIONED_WAIT_SECONDS = 0.5;

function wallMessage({ wallSeconds, waitSeconds = 0 }: ReportedEnd): string {
  const stopped = `stopped after ${round(wallSeconds)} s of wall clock`;
  if (waitSeconds < MENTIONED_WAIT_SECONDS) return stopped;
  return (
    `${stopped}; the time limit does not count ${round(waitSeconds)} s of them, ` +
    'in which other processes kept the run from a CPU'
  );
}

function diskMessage({ files, closed }: Pick<ReportedEnd, 'files' | 'closed'>): string {
  if (files)
    return (
      `stopped: expected at most ${files.allowed} files, folders and links beside the workspace's ` +
      `(run.resources.files), found ${files.seen} or more`
    );
  if (closed !== undefined)
    return (
      'stopped: expected folders that stay readable, so that Perpetua can measure them ' +
      `(run.resources.diskMb and files); found ${closed} without read permission (chmod 0) again after Perpetua had ` +
      'restored it, or another such folder at each check'
    );
  return 'stopped: the run directory grew over run.resources.diskMb';
}

function statusOfStop({ label }: Failure): TrialStatus {
  if (label === 'too-slow') return 'timed_out';
  if (label === 'disk-limit') return 'crashed';
  return label === 'not-finite' || label === 'diverged' || label === 'stalled' ? 'diverged' : 'aborted';
}

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

/** The reason why a trial ended without a value. */
export function reasonOfFailure({ status, failure, failureMessage, evaluatorNotes }: Failed): string {
  // For a copy, the evaluator's notes name the copied trial and its outcome, which the next proposal needs.
  const message = status === 'cached' ? evaluatorNotes : failureMessage;
  return `${status}${failure ? ` (${failure})` : ''}${message ? `: ${message}` : ''}`.slice(0, 1000);
}
