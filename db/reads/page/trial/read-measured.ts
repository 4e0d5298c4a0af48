import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/number.ts';
import type { Tx } from '../../../connect.ts';

/** Means of the scored runs of a trial's parent and of the unmodified version; null where none was scored. */
export interface Compared {
  parentValue: number | null;
  baselineValue: number | null;
}

/** Runs that were measured by the metric of the trial's version of the task: others say something else. */
export async function readCompared(
  db: Tx,
  of: { researchId: string; taskHash: string; parentId: string | null; baselineCandidate: string },
): Promise<Compared> {
  const mean = (candidateId: string | null) => sql`(
    select avg(trials.value) from trials where trials.research_id = ${of.researchId} and trials.candidate_id = ${candidateId}
      and trials.status = 'completed' and trials.task_hash in (
        select hash from task_versions where metric_key = (select metric_key from task_versions where hash = ${of.taskHash})))`;
  const { rows } = await db.execute<Record<keyof Compared, number | null>>(
    sql`select ${mean(of.parentId)} as "parentValue", ${mean(of.baselineCandidate)} as "baselineValue"`,
  );
  const { parentValue = null, baselineValue = null } = rows[0] ?? {};
  return { parentValue: finiteOrNull(parentValue), baselineValue: finiteOrNull(baselineValue) };
}

/** What a trial's calls used, and how its last one went. */
export interface CallTotals {
  usd: number | null;
  tokens: number | null;
  /** In the form that `waitsFor` reads; an answer itself is left out. */
  last: { answer: string | null; error: string | null }[];
}

/** Sums over the calls of a trial; null where it made none, or none has a price. */
export async function readCallTotals(db: Tx, { trialId }: { trialId: string }): Promise<CallTotals> {
  const { rows } = await db.execute<CallTotals & Record<string, unknown>>(sql`
    select sum(usd) as usd, sum(tokens_in + tokens_out)::float8 as tokens,
      coalesce((select json_agg(last) from (
        select case when answer is not null then '' end as answer, error from calls where trial_id = ${trialId}
        order by turn desc limit 1) last), '[]') as last
    from calls where trial_id = ${trialId}`);
  return rows[0] ?? { usd: null, tokens: null, last: [] };
}
