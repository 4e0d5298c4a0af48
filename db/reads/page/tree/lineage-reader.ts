import { sql } from 'drizzle-orm';
import { Lineage } from '../../../../view/page/tree/lineage.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';

/** Trials that one statement reads. */
const AT_ONCE = 20_000;
/** Researches whose lineage is kept; 200,000 candidates take about 50 MB. */
const KEPT = 3;

export type LineageReader = (db: Tx, research: Pick<ResearchView, 'id' | 'createdAt' | 'lastN'>) => Promise<Lineage>;

/** Creates a reader for repeated reads: a stored proposal does not change, so that each read adds only newer ones. */
export function createLineageReader(): LineageReader {
  const kept = new Map<string, { lineage: Lineage; from: number }>();
  return async (db, { id, createdAt, lastN }) => {
    // Another database may have a research with the same id.
    const key = `${createdAt.toISOString()} ${id}`;
    const known = kept.get(key) ?? { lineage: new Lineage(), from: 1 };
    kept.delete(key);
    kept.set(key, known);
    for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
    const next = await readNext(db, id);
    for (let from = known.from; from <= lastN; from += AT_ONCE) await readMade(db, { id, from }, known.lineage);
    known.from = Math.min(next, lastN + 1);
    return known.lineage;
  };
}

/** Number of the first trial that may still get its candidate. */
async function readNext(db: Tx, id: string): Promise<number> {
  const { rows } = await db.execute<{ n: number | null }>(sql`
    select min(n) as n from trials where research_id = ${id} and status is null and candidate_id is null`);
  return rows[0]?.n ?? Infinity;
}

/** Columns as text with commas between the values: a row for each trial would take ten times as long to parse. */
interface Part extends Record<string, unknown> {
  n: string | null;
  candidates: string;
  parents: string;
}

async function readMade(db: Tx, { id, from }: { id: string; from: number }, lineage: Lineage): Promise<void> {
  const { rows } = await db.execute<Part>(sql`
    select string_agg(n::text, ',' order by n) as n, string_agg(candidate_id, ',' order by n) as candidates,
      string_agg(coalesce(parent_id, ''), ',' order by n) as parents
    from trials
    where research_id = ${id} and n >= ${from} and n < ${from + AT_ONCE} and candidate_id is not null`);
  const [part] = rows;
  if (!part || part.n === null) return;
  const [candidates, parents] = [part.candidates.split(','), part.parents.split(',')];
  part.n.split(',').forEach((n, index) => {
    const [candidateId = '', parentId = ''] = [candidates[index], parents[index]];
    lineage.add({ n: Number(n), candidateId, parentId: parentId === '' ? null : parentId });
  });
}
