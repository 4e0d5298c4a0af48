import { sql } from 'drizzle-orm';
import type { StoredNiche } from '../../domain/search/parent/niche.ts';
import type { StoredNode, TreeTrial } from '../../domain/search/parent/build-tree.ts';
import type { EncodedNumber } from '../../domain/json/number.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';
import type { Tx } from '../connect.ts';
import { isWithinBounds, taskHashOf, versionsWithMetricOf } from '../trial/comparable.ts';
import { inSearch } from '../trial/in-search.ts';

/** Nodes that one statement inserts. */
const AT_ONCE = 5000;

/** A trial as the tree is built from it, with its version of the task. */
export interface ReadTrial extends Omit<TreeTrial, 'metrics'> {
  taskHash: string;
  niche: string | null;
  /** Null unless asked for. */
  metrics: Readonly<Record<string, EncodedNumber>> | null;
}

/**
 * Reads the trials of a research under the metric of its task by their ends; open ones come last. It is one statement:
 * each of several would sort all trials.
 */
export async function readTreeTrials(
  db: Tx,
  { researchId, sign, withMetrics }: { researchId: string; sign: 1 | -1; withMetrics: boolean },
): Promise<ReadTrial[]> {
  const taskHash = taskHashOf(researchId);
  const { rows } = await db.execute<ReadTrial & Record<string, unknown>>(sql`
    select kind, candidate_id as "candidateId", parent_id as "parentId", status is null as "isOpen",
      task_hash as "taskHash", niche, case when ${withMetrics} then metrics end as metrics,
      case when status = 'completed' and ${isWithinBounds(sql`value`, taskHash)}
        then ${sign}::float8 * value end as value
    from (select * from trials where research_id = ${researchId} and ${inSearch(sql`kind`)}
      and task_hash in ${versionsWithMetricOf(taskHash)}) trials
    order by ended_at nulls last, n`);
  return rows;
}

/** Stored values of the knobs of candidates, by candidate; one whose files were not read yet is left out. */
export async function findStoredKnobs(
  db: Tx,
  { researchId, taskHash, candidateIds }: { researchId: string; taskHash: string; candidateIds: readonly string[] },
): Promise<Map<string, KnobValues>> {
  const { rows } = await db.execute<{ id: string; knobs: KnobValues }>(sql`
    select candidate_id as id, knobs from observations
    where research_id = ${researchId} and task_hash = ${taskHash} and knobs is not null
      and candidate_id in (select jsonb_array_elements_text(${JSON.stringify(candidateIds)}::jsonb))`);
  return new Map(rows.map(({ id, knobs }) => [id, knobs]));
}

/** Replaces the tree of a research, with its niches. */
export async function storeTree(
  db: Tx,
  { researchId, nodes, niches }: { researchId: string; nodes: readonly StoredNode[]; niches: readonly StoredNiche[] },
): Promise<void> {
  await db.execute(sql`delete from nodes where research_id = ${researchId}`);
  await db.execute(sql`delete from niches where research_id = ${researchId}`);
  const stored = niches.map(({ isActive, ...rest }) => ({ ...rest, research_id: researchId, is_active: isActive }));
  await db.execute(sql`
    insert into niches select * from jsonb_populate_recordset(null::niches, ${JSON.stringify(stored)}::jsonb)`);
  for (let from = 0; from < nodes.length; from += AT_ONCE) {
    const rows = nodes.slice(from, from + AT_ONCE).map(({ candidateId, parentId, inFlight, ...rest }) => ({
      ...rest,
      research_id: researchId,
      candidate_id: candidateId,
      parent_id: parentId,
      in_flight: inFlight,
    }));
    await db.execute(sql`
      insert into nodes select * from jsonb_populate_recordset(null::nodes, ${JSON.stringify(rows)}::jsonb)`);
  }
  await db.execute(sql`update researches set nodes = ${nodes.length} where id = ${researchId}`);
}
