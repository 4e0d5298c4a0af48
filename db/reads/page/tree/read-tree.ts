import { sql } from 'drizzle-orm';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import { readTogether } from '../../../read-together.ts';
import type { ResearchView } from '../../read-research.ts';
import { createLineageReader, type LineageReader } from './lineage-reader.ts';
import { readNodes, type TreeNode } from './read-nodes.ts';

type Role = 'baseline' | 'best' | 'lead' | 'none';

export interface TreePage {
  /** Candidates from the baseline to the best, in order. */
  path: string[];
  nodes: (TreeNode & { role: Role })[];
  /** Number of the research's candidates that a trial ran or will run. */
  candidates: number;
}

/** Most kept candidates, and most children of one candidate, in an answer. */
const MOST = { kept: 200, children: 500 };

interface Input {
  research: ResearchView;
  /** Candidate whose children are wanted; absent: the path to the best, and kept candidates beside it. */
  root?: string | undefined;
  /** Levels below the root; below the first, only candidates that lead to a kept one. */
  depth: number;
  /** Reader of a caller that reads repeatedly. */
  readLineage?: LineageReader;
}

/** A part of the lineage; nodes count their candidates that are not shown. Undefined if no trial ran the root. */
export async function readTree(
  db: Tx,
  { research, root, depth, readLineage = createLineageReader() }: Input,
): Promise<TreePage | undefined> {
  const { id: researchId, gate, baselineCandidate, taskHash } = research;
  const { lineage, keptIds } = await readTogether(db, {
    lineage: () => readLineage(db, research),
    keptIds: () => readKept(db, researchId),
  });
  const path = lineage.wayTo(gate.incumbentId);
  const lead = leadOf(research);
  const kept = keptIds.flatMap((id) => lineage.wayTo(id));
  const pathToLead = lead === null ? [] : lineage.wayTo(lead);
  const ids =
    root === undefined ? [...path, ...kept, ...pathToLead] : await readBelow(db, { research, root, depth, kept });
  const nodes = await readNodes(db, { researchId, taskHash, ids: [...new Set(ids)], lineage });
  if (
    root !== undefined &&
    root !== baselineCandidate &&
    nodes.every(({ candidateId, n }) => candidateId !== root || n === null)
  )
    return undefined;
  const roleOf = (id: string): Role => {
    if (id === baselineCandidate) return 'baseline';
    if (id === gate.incumbentId) return 'best';
    return id === lead ? 'lead' : 'none';
  };
  const { baseline, claim } = standingOf(research);
  const shown = new Map([baseline, claim].flatMap((measured) => (measured ? [[measured.candidateId, measured]] : [])));
  const valueOf = ({ candidateId, value, scored }: TreeNode): Pick<TreeNode, 'value' | 'scored'> => {
    // A candidate without a run under the present metric has no value, whatever the gate knows of it.
    const measured = value === null ? undefined : shown.get(candidateId);
    return measured ? { value: measured.value, scored: measured.n } : { value, scored };
  };
  return {
    path,
    nodes: nodes.map((node) => ({ ...node, ...valueOf(node), role: roleOf(node.candidateId) })),
    candidates: lineage.candidates,
  };
}

/** Lead of the search; null if it is the best. */
const leadOf = ({ gate, gateConfig }: ResearchView): string | null =>
  gateConfig.followsLead && gate.leadId !== gate.incumbentId ? gate.leadId : null;

/** Last candidates that were kept or are being confirmed: a person would miss them. */
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

/** Children of these candidates, those with the best values first. */
async function readChildren(db: Tx, { researchId, parents, direction, limit }: Below): Promise<string[]> {
  const better = direction === 'minimize' ? sql`asc` : sql`desc`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select made.id from (
      select candidate_id as id, n from trials
      where research_id = ${researchId} and candidate_id <> parent_id
        and parent_id in (select jsonb_array_elements_text(${JSON.stringify(parents)}::jsonb))
      order by case when status = 'completed' then nullif(value, 'NaN') end ${better} nulls last, n offset 0) made
    -- Postgres checks one candidate after the other until there are enough, instead of all of them before.
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
