import { sql } from 'drizzle-orm';
import type { NicheView, TreeNode, TreeView } from '../../domain/search/parent/tree.ts';
import type { Tx } from '../connect.ts';

type Row = TreeNode & Record<string, unknown>;

const COLUMNS = sql.raw(
  'candidate_id as "candidateId", seq, depth, value, runs, below, best, visits, in_flight as "inFlight"',
);

/**
 * Reads the first `reach` nodes by value and by best, and those of each active niche by value. `nodes`: number of all
 * nodes of the research.
 */
export async function readTree(
  db: Tx,
  input: { researchId: string; original: string; nodes: number; reach: number; hasNiches: boolean },
): Promise<TreeView> {
  const { researchId, original, nodes, reach } = input;
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
    niches: input.hasNiches ? await readNiches(db, { researchId, reach }) : [],
  };
}

/** A niche with one of its nodes; without a node, the columns of one are null. */
type NicheRow = Omit<TreeNode, 'seq'> & {
  key: string;
  begun: number | null;
  open: number;
  seq: number | null;
} & Record<string, unknown>;

/** The active niches of a research, each with its first `reach` nodes by value. */
async function readNiches(db: Tx, { researchId, reach }: { researchId: string; reach: number }): Promise<NicheView[]> {
  const { rows } = await db.execute<NicheRow>(sql`
    with open as (select niche, count(*)::int as count from trials
      where research_id = ${researchId} and status is null and kind = 'search' and niche is not null group by niche)
    select niches.key, niches.begun, coalesce(open.count, 0) as open, top.*
    from niches left join open on open.niche = niches.key
    left join lateral (select ${COLUMNS} from nodes
      where nodes.research_id = ${researchId} and nodes.niche = niches.key
      order by value desc nulls last, seq limit ${reach}) top on true
    where niches.research_id = ${researchId} and niches.is_active
    order by niches.key, top.value desc nulls last, top.seq`);
  const found = new Map<string, NicheView & { best: TreeNode[] }>();
  for (const { key, begun, open, seq, ...node } of rows) {
    const niche = found.get(key) ?? { key, begun, inFlight: open, best: [] };
    found.set(key, niche);
    if (seq !== null) niche.best.push({ ...node, seq });
  }
  return [...found.values()];
}
