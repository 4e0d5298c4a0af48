import { sql } from 'drizzle-orm';
import type { TreeNode, TreeView } from '../../domain/search/parent/tree.ts';
import type { Tx } from '../connect.ts';

type Row = TreeNode & Record<string, unknown>;

const COLUMNS = sql.raw(
  'candidate_id as "candidateId", seq, depth, value, runs, below, best, visits, in_flight as "inFlight"',
);

/** Reads the first `reach` nodes by value and by best. `nodes`: number of all nodes of the research. */
export async function readTree(
  db: Tx,
  { researchId, original, nodes, reach }: { researchId: string; original: string; nodes: number; reach: number },
): Promise<TreeView> {
  const byValue = await db.execute<Row>(sql`
    select ${COLUMNS} from nodes where research_id = ${researchId} and value is not null
    order by value desc nulls last, seq limit ${reach}`);
  const byBest = await db.execute<Row>(sql`
    select ${COLUMNS} from nodes where research_id = ${researchId} and best is not null
    order by best desc nulls last, seq limit ${reach}`);
  const { rows } = await db.execute<{ visits: number; isScored: boolean; lowest: number | null }>(sql`
    select visits, value is not null as "isScored",
      (select value from nodes where research_id = ${researchId} and value is not null
        order by value asc nulls first limit 1) as lowest
    from nodes where research_id = ${researchId} and candidate_id = ${original}`);
  const [root] = rows;
  if (!root) throw new Error(`Expected the original of ${researchId} in its tree, found none`);
  return {
    scored: nodes - (root.isScored ? 0 : 1),
    visits: root.visits,
    lowest: root.lowest ?? 0,
    byValue: byValue.rows,
    byBest: byBest.rows,
  };
}
