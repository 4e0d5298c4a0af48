import { and, eq, isNull, sql } from 'drizzle-orm';
import { isWithinBounds } from '../trial/comparable.ts';
import type { Tx } from '../connect.ts';
import { wantedRuns } from '../schema.ts';

/** Rows of one statement, whose parameters are limited. */
const BATCH = 500;

/** Runs of ablations that have no trial number yet. */
const openOf = (researchId: string) =>
  and(eq(wantedRuns.researchId, researchId), isNull(wantedRuns.n), eq(wantedRuns.kind, 'ablation'));

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
  for (let from = 0; from < wants.length; from += BATCH)
    await db.insert(wantedRuns).values(wants.slice(from, from + BATCH));
}

/** Number of runs of ablations that have no trial number yet. */
export const countOpenAblations = (db: Tx, researchId: string): Promise<number> =>
  db.$count(wantedRuns, openOf(researchId));

/** Withdraws the runs of ablations that have no trial number yet; returns how many. */
export async function withdrawAblations(db: Tx, researchId: string): Promise<number> {
  return (await db.delete(wantedRuns).where(openOf(researchId)).returning({ id: wantedRuns.id })).length;
}

/** A variant of a claim, or the claim itself (`edit` null), with the values of its runs. */
export interface AblatedRow {
  claim: number;
  edit: string | null;
  /** The candidate of the latest request. */
  candidateId: string;
  ofTrial: number | null;
  values: number[];
  /** Runs with an outcome, and runs that were requested. */
  ended: number;
  requested: number;
}

/**
 * The variants that were requested for a research, with their values. Runs of other versions of its task are left out.
 */
export async function readAblated(db: Tx, { id, taskHash }: { id: string; taskHash: string }): Promise<AblatedRow[]> {
  const { rows } = await db.execute<AblatedRow & Record<string, unknown>>(sql`
    select (w.proposal ->> 'claim')::int as claim, w.proposal ->> 'edit' as edit,
      (array_agg(w.candidate_id order by w.id desc))[1] as "candidateId",
      min(w.of_trial) as "ofTrial",
      coalesce(jsonb_agg(t.value order by t.n) filter (where t.status = 'completed' and t.value is not null
        and ${isWithinBounds(sql`t.value`, taskHash)}), '[]') as values,
      count(t.status)::int as ended, count(*)::int as requested
    from wanted_runs w left join trials t on t.research_id = w.research_id and t.n = w.n
    where w.research_id = ${id} and w.kind = 'ablation' and (w.n is null or t.task_hash = ${taskHash})
    group by 1, 2 order by 1 desc, min(w.id)`);
  return rows;
}
