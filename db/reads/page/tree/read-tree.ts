import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { createLineageReader, type LineageReader } from './lineage-reader.ts';
import { readNodes, type TreeNode } from './read-nodes.ts';

type Role = 'baseline' | 'best' | 'lead' | 'none';

export interface TreePage {
  /** From the baseline to the best, in order. */
  path: string[];
  nodes: (TreeNode & { role: Role })[];
  /** Of the research, that a trial ran or is to run. */
  candidates: number;
}

/** Kept candidates, and children of one candidate, that are shown at most. */
const MOST = { kept: 200, children: 500 };

interface Input {
  research: ResearchView;
  /** The candidate whose children are wanted; without it the way to the best, and what was kept beside it. */
  root?: string | undefined;
  /** Levels below the root; beneath the first one only what leads to something that was kept. */
  depth: number;
  /** Of a caller that reads again and again. */
  readLineage?: LineageReader;
}

/** A part of the lineage; the rest of it is counted where it hangs. Undefined where no trial ran the root. */
export async function readTree(
  db: Tx,
  { research, root, depth, readLineage = createLineageReader() }: Input,
): Promise<TreePage | undefined> {
  const { id: researchId, gate, baselineCandidate, taskHash } = research;
  const lineage = await readLineage(db, research);
  const path = lineage.wayTo(gate.incumbentId);
  const lead = leadOf(research);
  const kept = (await readKept(db, researchId)).flatMap((id) => lineage.wayTo(id));
  const ids =
    root === undefined
      ? [...path, ...kept, ...(lead === null ? [] : lineage.wayTo(lead))]
      : await readBelow(db, { research, root, depth, kept });
  const nodes = await readNodes(db, { researchId, taskHash, ids: [...new Set(ids)], lineage });
  if (
    root !== undefined &&
    root !== baselineCandidate &&
    nodes.every(({ candidateId, n }) => candidateId !== root || n === null)
  )
    return undefined;
  const roleOf = (id: string): Role =>
    id === baselineCandidate ? 'baseline' : id === gate.incumbentId ? 'best' : id === lead ? 'lead' : 'none';
  return {
    path,
    nodes: nodes.map((node) => ({ ...node, role: roleOf(node.candidateId) })),
    candidates: lineage.candidates,
  };
}

/** Where the search stands; null where that is the best. */
const leadOf = ({ gate, gateConfig }: ResearchView): string | null =>
  gateConfig.followsLead && gate.leadId !== gate.incumbentId ? gate.leadId : null;

/** Candidates that a person would miss: those that were kept or are to be confirmed, the last ones. */
async function readKept(db: Tx, researchId: string): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select candidate_id as id from trials
    where research_id = ${researchId} and verdict in ('keep', 'confirm') and candidate_id is not null
    order by n desc limit ${MOST.kept}`);
  return rows.map(({ id }) => id);
}

interface Below {
  researchId: string;
  /** Candidates whose children are wanted. */
  parents: readonly string[];
  direction: 'minimize' | 'maximize';
  limit: number;
}

/** Candidates that were made from these, those with the best values first. */
async function readChildren(db: Tx, { researchId, parents, direction, limit }: Below): Promise<string[]> {
  const better = direction === 'minimize' ? sql`asc` : sql`desc`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select made.id from (
      select candidate_id as id, n from trials
      where research_id = ${researchId} and candidate_id <> parent_id
        and parent_id in (select jsonb_array_elements_text(${JSON.stringify(parents)}::jsonb))
      order by case when status = 'completed' then nullif(value, 'NaN') end ${better} nulls last, n offset 0) made
    -- Asked of one after the other until there are enough, not of all of them before.
    where made.n = (
      select min(n) from trials where trials.candidate_id = made.id and trials.research_id = ${researchId} offset 0)
    limit ${limit}`);
  return rows.map(({ id }) => id);
}

async function readBelow(
  db: Tx,
  { research, root, depth, kept }: Pick<Input, 'research' | 'depth'> & { root: string; kept: string[] },
): Promise<string[]> {
  const { id: researchId, task } = research;
  const wanted = new Set(kept);
  const ids = [root];
  let parents = [root];
  for (let level = 1; level <= depth && parents.length > 0; level += 1) {
    const limit = MOST.children;
    const children = await readChildren(db, { researchId, parents, direction: task.metric.direction, limit });
    parents = level === 1 ? children : children.filter((id) => wanted.has(id));
    ids.push(...parents);
  }
  return ids;
}
