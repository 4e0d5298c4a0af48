import { sql } from 'drizzle-orm';
import { isWithinBounds } from '../trial/comparable.ts';
import type { Tx } from '../connect.ts';
import { wantedRuns } from '../schema.ts';

/** Requests runs of a claim and of its variants. */
export async function insertAblation(
  db: Tx,
  input: {
    researchId: string;
    ofTrial: number | null;
    key: string;
    claim: number;
    runs: number;
    /** `edit`: the edit that is left out; null: the claim itself. */
    variants: readonly { edit: string | null; candidateId: string }[];
  },
): Promise<void> {
  const { researchId, ofTrial, key, claim, runs, variants } = input;
  // Runs of all variants take turns, so that a change of the machine over time concerns all alike.
  const wants = Array.from({ length: runs }, () =>
    variants.map(({ edit, candidateId }) => ({
      researchId,
      kind: 'ablation' as const,
      candidateId,
      ofTrial,
      proposal: { key, claim, edit },
    })),
  ).flat();
  await db.insert(wantedRuns).values(wants);
}

/** A variant of a claim, or the claim itself (`edit` null), with the values of its runs. */
export interface AblatedRow {
  claim: number;
  edit: string | null;
  candidateId: string;
  ofTrial: number | null;
  values: number[];
  /** Runs with an outcome, and runs that were requested. */
  ended: number;
  requested: number;
}

/** The variants that were requested for a research, with their values under the present version of its task. */
export async function readAblated(db: Tx, { id, taskHash }: { id: string; taskHash: string }): Promise<AblatedRow[]> {
  const { rows } = await db.execute<AblatedRow & Record<string, unknown>>(sql`
    select (w.proposal ->> 'claim')::int as claim, w.proposal ->> 'edit' as edit, w.candidate_id as "candidateId",
      min(w.of_trial) as "ofTrial",
      coalesce(jsonb_agg(t.value order by t.n) filter (where t.status = 'completed' and t.value is not null
        and ${isWithinBounds(sql`t.value`, taskHash)}), '[]') as values,
      count(t.status)::int as ended, count(*)::int as requested
    from wanted_runs w left join trials t on t.research_id = w.research_id and t.n = w.n and t.task_hash = ${taskHash}
    where w.research_id = ${id} and w.kind = 'ablation'
    group by 1, 2, 3 order by 1 desc, min(w.id)`);
  return rows;
}
