import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { ComputeUsed } from '../../view/rows/compute.ts';
import type { Tx } from '../connect.ts';
import { inSearch } from './in-search.ts';
import { researches, runs, trials } from '../schema.ts';

/** CPU seconds of a run and of the program that answered for it, as the host measured them. */
export const CPU_SECONDS = sql<number>`((${runs.end}->>'cpuSeconds')::float8
  + coalesce((${runs.end}->>'answerCpuSeconds')::float8, 0))`;

const runsOf = and(eq(runs.jobId, trials.id), eq(runs.placement, trials.placement));

/** Baseline candidate of a research, and the most CPU seconds of its scored runs; null if none was scored. */
export async function findBaselineCompute(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<{ candidateId: string; most: number | null } | undefined> {
  const scored = and(
    eq(trials.researchId, researches.id),
    eq(trials.taskHash, taskHash),
    eq(trials.candidateId, researches.baselineCandidate),
    eq(trials.status, 'completed'),
    inSearch(trials.kind),
  );
  const rows = await db
    .select({ candidateId: researches.baselineCandidate, most: sql<number | null>`max(${CPU_SECONDS})` })
    .from(researches)
    .leftJoin(trials, scored)
    .leftJoin(runs, runsOf)
    .where(eq(researches.id, researchId))
    .groupBy(researches.id);
  return rows[0];
}

/** Means over the scored runs of candidates, by candidate: seconds on the slot, and CPU seconds if they are known. */
export async function findMeanCompute(
  db: Tx,
  { researchId, taskHash, candidateIds }: { researchId: string; taskHash: string; candidateIds: string[] },
): Promise<Map<string, ComputeUsed>> {
  const rows = await db
    .select({
      candidateId: trials.candidateId,
      seconds: sql<number>`avg(${trials.seconds})::float8`,
      cpuSeconds: sql<number | null>`avg(${CPU_SECONDS})::float8`,
    })
    .from(trials)
    .leftJoin(runs, runsOf)
    .where(
      and(
        eq(trials.researchId, researchId),
        eq(trials.taskHash, taskHash),
        inArray(trials.candidateId, candidateIds),
        eq(trials.status, 'completed'),
        isNotNull(trials.seconds),
        inSearch(trials.kind),
      ),
    )
    .groupBy(trials.candidateId);
  return new Map(rows.map(({ candidateId, seconds, cpuSeconds }) => [candidateId ?? '', { seconds, cpuSeconds }]));
}
