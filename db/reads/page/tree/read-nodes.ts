import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/number.ts';
import type { ToldVerdict, TrialStatus } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { toldVerdict } from '../../../trial/told-verdict.ts';
import { parentOf } from './lineage.ts';

/** A candidate in the lineage. */
export interface TreeNode {
  candidateId: string;
  parentId: string | null;
  /** Of the first trial that ran it; null before there is one. */
  n: number | null;
  /** Mean of its scored runs. */
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
  { researchId, ids }: { researchId: string; ids: readonly string[] },
): Promise<TreeNode[]> {
  const { rows } = await db.execute<TreeNode & Record<string, unknown>>(sql`
    with recursive shown as materialized (select value as id from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)),
    again as materialized (
      select candidate_id as id, min(n) as first from trials
      where research_id = ${researchId} and candidate_id is not null group by 1 having count(*) > 1),
    below(top, id, depth) as (
      select id, id, 0 from shown
      union all
      select below.top, made.candidate_id, below.depth + 1
      from below join trials made on made.research_id = ${researchId} and made.parent_id = below.id
      left join again on again.id = made.candidate_id left join shown on shown.id = made.candidate_id
      where made.candidate_id <> below.id and coalesce(again.first, made.n) = made.n
        and (shown.id is null or below.depth = 0)
        and (below.depth = 0 or not exists (select 1 from shown where shown.id = below.id))),
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
      select avg(trials.value) filter (where trials.status = 'completed') as value, count(*)::int as runs from trials
      where trials.research_id = ${researchId} and trials.candidate_id = shown.id) runs on true
    order by first.n nulls first`);
  return rows.map((row) => ({ ...row, value: finiteOrNull(row.value) }));
}
