import { desc, eq } from 'drizzle-orm';
import { describeAgentEnd } from '../../../domain/agent/describe-agent-end.ts';
import { proposalJobOf } from '../../../domain/agent/proposal-job.ts';
import { cpuSecondsOf } from '../../../view/trial/cpu-seconds.ts';
import type { Tx } from '../../connect.ts';
import { runs } from '../../schema.ts';

/** The run of the coding agent that makes a trial's proposal. */
export interface AgentView {
  host: string;
  launchedAt: string | null;
  /** Seconds of wall clock and of CPU of all its runs that have ended; null before the first end. */
  seconds: number | null;
  cpuSeconds: number | null;
  /** How it ended, in words; null: it goes on, or ended by itself with exit code 0. */
  ending: string | null;
  isOver: boolean;
  /** Immutable files that it changed; they are not taken. */
  tampering: string[];
  /** End of its output. */
  logTail: string | null;
}

interface StoredEnd {
  reason: string;
  exitCode: number | null;
  signal: string | null;
  wallSeconds: number;
  changed: string[];
}

/** The last run of a trial's agent, with the seconds of all its runs; null if it has none. */
export async function readAgent(db: Tx, trialId: string): Promise<AgentView | null> {
  const placed = await db
    .select()
    .from(runs)
    .where(eq(runs.jobId, proposalJobOf(trialId)))
    .orderBy(desc(runs.placement));
  const [run] = placed;
  if (!run) return null;
  const ends = placed.map(({ end }) => (end ?? null) as StoredEnd | null);
  const end = (run.end ?? null) as StoredEnd | null;
  return {
    host: run.host,
    launchedAt: run.launchedAt?.toISOString() ?? null,
    seconds: sumOf(ends.map((each) => each?.wallSeconds ?? null)),
    cpuSeconds: sumOf(ends.map(cpuSecondsOf)),
    ending: end === null ? null : describeAgentEnd({ end, stop: run.stop }),
    isOver: end !== null,
    tampering: end?.changed ?? [],
    logTail: run.logTail,
  };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
