import type { Failure } from '../trial.ts';

interface Ended {
  end: { reason: string; exitCode: number | null; signal: string | null };
  /** The monitor's decision to stop it; null if it ended otherwise. */
  stop: Failure | null;
}

/** Limits, by the reason of an end, with the setting of the proposer that raises them. */
const LIMITS: Readonly<Record<string, string>> = {
  wall: 'its limit of wall clock (search.proposer.seconds)',
  cpu: 'its limit of CPU time (search.proposer.cpuSeconds)',
  memory: 'its limit of memory (search.proposer.memoryMb)',
  disk: 'its limit of disk space (search.proposer.diskMb)',
  output: 'its limit of output (search.proposer.outputMb)',
  processes: 'its limit of processes',
};

/** How an agent ended, in words; null: by itself, with exit code 0. */
export function describeAgentEnd({ end: { reason, exitCode, signal }, stop }: Ended): string | null {
  if (stop !== null) return `it was stopped: ${stop.message}`;
  const limit = Object.hasOwn(LIMITS, reason) ? LIMITS[reason] : undefined;
  if (limit !== undefined) return `it was ended by ${limit}`;
  if (signal !== null) return `it ended by ${signal}`;
  return exitCode === 0 ? null : `it ended with exit code ${exitCode}`;
}
