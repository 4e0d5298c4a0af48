import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/number.ts';
import type { ToldVerdict, TrialStatus } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { toldVerdict } from '../../../trial/told-verdict.ts';
import { versionsAlike } from '../metric.ts';
import { parentOf } from './lineage.ts';

/** A candidate in the lineage. */
export interface TreeNode {
  candidateId: string;
  parentId: string | null;
  /** Of the first trial that ran it; null before there is one. */
  n: number | null;
  /** Mean of its runs that were scored by the metric of today. */
  value: number | null;
  /** Trials that ran it. */
  runs: number;
  verdict: ToldVerdict;
  status: TrialStatus | null;
  hypothesis: string | null;
  children: number;
  /** Candidates below it that are not among the nodes, nor below another one of them. */
  hidden: number;
}

/** Some candidates as nodes, in the order in which they were first run. */
export async function readNodes(
  db: Tx,
  { researchId, taskHash, ids }: { researchId: string; taskHash: string; ids: readonly string[] },
): Promise<TreeNode[]> {
  const { rows } = await db.execute<TreeNode & Record<string, unknown>>(sql`
    with recursive shown as materialized (select value as id from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)),
    below(top, id, depth) as (
      select id, id, 0 from shown
      union all
      select below.top, made.candidate_id, below.depth + 1
      from below cross join lateral (
        -- By the index on parents, whatever the planner believes of what the last level holds.
        select child.candidate_id from trials child
        where child.research_id = ${researchId} and child.parent_id = below.id and child.candidate_id <> below.id
          and not exists (
            select 1 from trials earlier where earlier.candidate_id = child.candidate_id
              and earlier.research_id = child.research_id and earlier.n < child.n)
        offset 0) made
      where below.depth = 0
        or (below.id not in (select id from shown) and made.candidate_id not in (select id from shown))),
    counted as (
      select top, (count(*) filter (where depth = 1))::int as children,
        (count(*) filter (where depth > 0 and not exists (select 1 from shown where shown.id = below.id)))::int as hidden
      from below group by 1)
    select shown.id as "candidateId", ${parentOf(researchId, sql`shown.id`)} as "parentId", first.n, runs.value,
      coalesce(runs.runs, 0) as runs, coalesce(first.verdict, 'none') as verdict, first.status, first.hypothesis,
      counted.children, counted.hidden
    from shown join counted on counted.top = shown.id
    left join lateral (
      select trials.n, ${toldVerdict(researchId)} as verdict, trials.status, trials.hypothesis from trials
      where trials.research_id = ${researchId} and trials.candidate_id = shown.id order by trials.n limit 1) first on true
    left join lateral (
      select avg(trials.value) filter (where trials.status = 'completed' and trials.task_hash in ${versionsAlike(taskHash)}) as value, count(*)::int as runs from trials
      where trials.research_id = ${researchId} and trials.candidate_id = shown.id) runs on true
    order by first.n nulls first`);
  return rows.map((row) => ({ ...row, value: finiteOrNull(row.value) }));
}
