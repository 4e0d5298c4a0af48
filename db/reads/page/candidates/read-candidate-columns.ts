import { sql } from 'drizzle-orm';
import { knobKey } from '../../../../domain/knob/knob-value.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';

/** Newest trials whose numbers are offered as columns. */
const LOOKED_AT = 200;
/** Most columns of a kind. */
const MOST = 60;

export interface CandidateColumns {
  /** Numbers that evaluators and runs reported. */
  metrics: string[];
  knobs: string[];
  /** Candidates with an outcome under the present task. */
  total: number;
}

/** Numbers that a table of candidates can show, and the number of candidates. */
export async function readCandidateColumns(db: Tx, { id, taskHash, task }: ResearchView): Promise<CandidateColumns> {
  const { rows } = await db.execute<{ names: string[] | null; total: number }>(sql`
    select (select array_agg(distinct name order by name) from (
        select metrics from trials
        where research_id = ${id} and status = 'completed' and metrics is not null
        order by n desc limit ${LOOKED_AT}) latest, jsonb_object_keys(metrics) name) as names,
      -- The numbers have no gaps, so the last one, which the index has, is the count.
      (select coalesce(max(seq), 0) from observations
        where research_id = ${id} and task_hash = ${taskHash} and seq is not null) as total`);
  const { names = null, total = 0 } = rows[0] ?? {};
  const secondary = task.secondary.map(({ name }) => name);
  return {
    metrics: [...new Set([...secondary, ...(names ?? [])])].slice(0, MOST),
    knobs: task.knobs.map(knobKey).slice(0, MOST),
    total,
  };
}
