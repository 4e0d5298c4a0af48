import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';
import { isWithinBounds, taskHashOf, versionsWithMetricOf } from '../comparable.ts';
import { inSearch } from '../in-search.ts';

/** Runs of a candidate under the current metric of its research. */
export interface CandidateMean {
  candidateId: string;
  /** Number of the proposal that made it first; null if none did, as for the original. */
  n: number | null;
  /** Null if no run is scored. */
  mean: number | null;
  runs: number;
}

/** Means over the scored runs of candidates, by candidate; candidates that never ran are left out. */
export async function findCandidateMeans(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: readonly string[] },
): Promise<Map<string, CandidateMean>> {
  if (candidateIds.length === 0) return new Map();
  const taskHash = taskHashOf(researchId);
  const { rows } = await db.execute<CandidateMean & Record<string, unknown>>(sql`
    select t.candidate_id as "candidateId", min(t.n) filter (where t.kind in ('search', 'injected')) as n,
      avg(t.value) filter (where t.status = 'completed')::float8 as mean,
      (count(*) filter (where t.status = 'completed'))::int as runs
    from trials t
    where t.research_id = ${researchId} and t.candidate_id = any(${sql.param([...candidateIds])}::text[])
      and ${inSearch(sql`t.kind`)} and t.task_hash in ${versionsWithMetricOf(taskHash)}
      and (t.status is distinct from 'completed' or ${isWithinBounds(sql`t.value`, taskHash)})
    group by t.candidate_id`);
  return new Map(rows.map((row) => [row.candidateId, row]));
}

/** Points of a curve that a prompt shows. */
const SHOWN = 6;

/** A few points of each run's curve, by trial: evenly spaced in their order, with the first and the last. */
export async function findCurvePoints(
  db: Tx,
  runs: readonly { id: string; placement: number }[],
): Promise<Map<string, { step: number; value: number }[]>> {
  if (runs.length === 0) return new Map();
  const requested = JSON.stringify(runs.map(({ id, placement }) => ({ id, placement })));
  const { rows } = await db.execute<{ id: string; step: number; value: number }>(sql`
    with asked as (select * from jsonb_to_recordset(${requested}::jsonb) as asked(id text, placement int)),
    ends as (
      select asked.*,
        (select min(p.seq) from points p where p.trial_id = asked.id and p.placement = asked.placement) as first,
        (select max(p.seq) from points p where p.trial_id = asked.id and p.placement = asked.placement) as last
      from asked)
    select ends.id, p.step, p.value from ends
    join points p on p.trial_id = ends.id and p.placement = ends.placement and p.seq in (
      select first + ((last - first) * k) / ${SHOWN - 1}::int from generate_series(0, ${SHOWN - 1}::int) k)
    order by ends.id, p.seq`);
  const curves = new Map<string, { step: number; value: number }[]>();
  for (const { id, step, value } of rows) curves.set(id, [...(curves.get(id) ?? []), { step, value }]);
  return curves;
}
