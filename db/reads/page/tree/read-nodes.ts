import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import type { ShownVerdict, TrialStatus } from '../../../../domain/trial.ts';
import type { Below, Lineage } from '../../../../view/page/tree/lineage.ts';
import type { Tx } from '../../../connect.ts';
import { shownVerdict } from '../../../trial/shown-verdict.ts';
import { finite } from '../finite.ts';
import { isComparable } from '../../../trial/comparable.ts';

/** A candidate in the lineage. */
export interface TreeNode extends Below {
  candidateId: string;
  parentId: string | null;
  /** Number of the first trial that ran it; null before there is one. */
  n: number | null;
  /** Mean of its runs that were scored under the current metric. */
  value: number | null;
  /** Number of runs behind the value. */
  scored: number;
  /** Number of trials that ran it. */
  runs: number;
  verdict: ShownVerdict;
  status: TrialStatus | null;
  hypothesis: string | null;
}

type Row = Omit<TreeNode, 'parentId' | keyof Below> & Record<string, unknown>;

/** Candidates as tree nodes, in the order of their first runs. */
export async function readNodes(
  db: Tx,
  { researchId, taskHash, ids, lineage }: { researchId: string; taskHash: string; ids: string[]; lineage: Lineage },
): Promise<TreeNode[]> {
  const counts = sql`trials.status = 'completed' and ${isComparable(taskHash)}`;
  const { rows } = await db.execute<Row>(sql`
    select shown.id as "candidateId", first.n, runs.value, coalesce(runs.runs, 0) as runs,
      coalesce(runs.scored, 0) as scored,
      coalesce(first.verdict, 'none') as verdict, first.status, first.hypothesis
    from (select value as id from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)) shown
    left join lateral (
      select trials.n, ${shownVerdict(researchId)} as verdict, trials.status, trials.hypothesis from trials
      where trials.research_id = ${researchId} and trials.candidate_id = shown.id
      order by trials.n limit 1) first on true
    left join lateral (
      select avg(${finite(sql`trials.value`)}) filter (where ${counts}) as value,
        count(${finite(sql`trials.value`)}) filter (where ${counts})::int as scored, count(*)::int as runs
      from trials
      where trials.research_id = ${researchId} and trials.candidate_id = shown.id) runs on true
    order by first.n nulls first`);
  const below = lineage.below(new Set(ids));
  return rows.map((row) => ({
    ...row,
    parentId: lineage.parentOf(row.candidateId),
    value: finiteOrNull(row.value),
    ...(below.get(row.candidateId) ?? { children: 0, hidden: 0 }),
  }));
}
