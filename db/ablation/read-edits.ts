import { sql } from 'drizzle-orm';
import { variantsOf, type Variant } from '../../domain/ablation/variants.ts';
import { matchesCreate } from '../../domain/edit/scope/edit-scope.ts';
import type { Tx } from '../connect.ts';
import { loadTaskVersion } from '../task/task-version.ts';
import { loadCandidate } from '../trial/candidate.ts';
import { inSearch } from '../trial/in-search.ts';

export interface ClaimEdits {
  claim: { seq: number; candidateId: string; ofTrial: number | null };
  immutableHash: string;
  /** Mutable files of the claim, path to text. */
  files: Readonly<Record<string, string>>;
  variants: Variant[];
  mutablePaths: readonly string[];
}

interface Of {
  id: string;
  taskHash: string;
  baselineCandidate: string;
}

/** The edits of a claim against the unmodified version; `seq` undefined: the last claim. Null without such a claim. */
export async function readEdits(
  db: Tx,
  { research, seq }: { research: Of; seq: number | undefined },
): Promise<ClaimEdits | null> {
  const { rows } = await db.execute<ClaimEdits['claim'] & Record<string, unknown>>(sql`
    select seq, candidate_id as "candidateId", of_trial as "ofTrial" from claims
    where research_id = ${research.id} and (${seq ?? null}::int is null or seq = ${seq ?? null})
    order by seq desc limit 1`);
  const [claim] = rows;
  if (claim === undefined) return null;
  const { task, mutablePaths, immutableHash } = await loadTaskVersion(db, research.taskHash);
  const mutable = (files: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(files).filter(([path]) => mutablePaths.includes(path) || matchesCreate(path, task.edits)),
    );
  const baseline = await loadCandidate(db, research.baselineCandidate);
  const claimed = await loadCandidate(db, claim.candidateId);
  // A mutable file that only one of them has was not mutable when the other was made: no proposal changed it.
  const edited = mutable({ ...unless(claimed.deleted, baseline.files, mutablePaths), ...claimed.files });
  const original = mutable({ ...unless(baseline.deleted, claimed.files, mutablePaths), ...baseline.files });
  return { claim, immutableHash, mutablePaths, files: edited, variants: variantsOf(task.knobs, { original, edited }) };
}

/** The files at mutable paths, without those that were deleted. */
const unless = (
  deleted: readonly string[],
  files: Record<string, string>,
  mutablePaths: readonly string[],
): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([path]) => mutablePaths.includes(path) && !deleted.includes(path)));

/** Trials that ran these candidates first, and the mean seconds of the claim's completed runs; null without any. */
export async function readKnownRuns(
  db: Tx,
  { id, claimed, candidateIds }: { id: string; claimed: string; candidateIds: readonly string[] },
): Promise<{ known: Map<string, number>; seconds: number | null }> {
  const { rows } = await db.execute<{ candidateId: string; n: number }>(sql`
    select candidate_id as "candidateId", min(n) as n from trials
    where research_id = ${id} and ${inSearch(sql`kind`)} and status is distinct from 'cached'
      and candidate_id = any(${sql.param([...candidateIds])}::text[]) group by 1`);
  const mean = await db.execute<{ seconds: number | null }>(sql`
    select avg(seconds)::float8 as seconds from trials
    where research_id = ${id} and candidate_id = ${claimed} and status = 'completed'`);
  return { known: new Map(rows.map(({ candidateId, n }) => [candidateId, n])), seconds: mean.rows[0]?.seconds ?? null };
}
