import { assertNever } from './assert-never.ts';
import type { Failure, TrialStatus } from './trial.ts';

/** How a supervisor says that a run ended. */
export interface Ending {
  reason: 'exit' | 'wall' | 'cpu' | 'memory' | 'processes' | 'output' | 'disk' | 'killed';
  exitCode: number | null;
  signal: string | null;
  wallSeconds: number;
  cpuSeconds: number;
}

export interface EndedBadly {
  status: TrialStatus;
  failure: Failure;
}

/** The outcome of a run by its end alone; undefined if it ended well and may be scored. */
export function outcomeOfEnd(end: Ending, stop: Failure | null, crash: string): EndedBadly | undefined {
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
        failure: { label: 'cpu-time', message: `stopped after ${round(end.cpuSeconds)} s of CPU` },
      };
    case 'memory':
      return crashed('out-of-memory', 'stopped: more memory than run.resources.memoryMb');
    case 'processes':
      return crashed('too-many-processes', 'stopped: more processes than run.resources.processes');
    case 'output':
      return crashed('output-limit', 'stopped: more output than run.resources.outputMb');
    case 'disk':
      return crashed('disk-limit', 'stopped: the run directory grew over run.resources.diskMb');
    case 'killed':
      return { status: 'aborted', failure: { label: 'stopped-by-operator', message: 'stopped by a person' } };
    default:
      return assertNever(end.reason);
  }
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

/** True if a CPU-budgeted run did not get its core to itself. */
export const isContended = (end: Ending): boolean =>
  end.reason === 'exit' &&
  end.exitCode === 0 &&
  end.wallSeconds >= CONTENDED_FROM_SECONDS &&
  end.cpuSeconds / end.wallSeconds < CONTENDED_BELOW;

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
