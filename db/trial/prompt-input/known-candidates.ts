import { eq, sql } from 'drizzle-orm';
import type { FailureLabel, TrialStatus } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { taskVersions, trials } from '../../schema.ts';
import { fileDiffs } from '../../reads/diff/file-diffs.ts';
import { unifiedDiff } from '../../reads/diff/unified-diff.ts';
import { ranInOtherTrial, type Trial } from '../proposal.ts';
import { loadCandidates } from '../candidate.ts';
import { inSearch } from '../in-search.ts';

/** Result of a known candidate. */
export interface KnownCandidate {
  n: number;
  status: TrialStatus | null;
  failure: FailureLabel | null;
  failureMessage: string | null;
  value: number | null;
}

/**
 * Another trial of the research, with a lower or a higher number, that ran a candidate or is about to, by the
 * conditions of `findOtherRuns`. A trial with a score comes first, then a trial under way, then a failed one.
 */
export async function findKnownCandidate(
  db: Tx,
  { trial, candidateId }: { trial: Trial; candidateId: string },
): Promise<KnownCandidate | undefined> {
  const { n, status, failure, failureMessage, value } = trials;
  const rows = await db
    .select({ n, status, failure, failureMessage, value })
    .from(trials)
    .innerJoin(taskVersions, eq(taskVersions.hash, trials.taskHash))
    .where(ranInOtherTrial(trial, [candidateId]))
    .orderBy(sql`coalesce(${status} = 'completed', false) desc, ${status} is null desc`, n)
    .limit(1);
  return rows[0];
}

/** Current state of the trials that copies refer to, by candidate. */
export async function findCopySources(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: readonly string[] },
): Promise<Map<string, KnownCandidate>> {
  if (candidateIds.length === 0) return new Map();
  const { rows } = await db.execute<KnownCandidate & { candidateId: string } & Record<string, unknown>>(sql`
    select distinct on (candidate_id) candidate_id as "candidateId", n, status, failure,
      failure_message as "failureMessage", value
    from trials
    where research_id = ${researchId} and candidate_id = any(${sql.param([...candidateIds])}::text[])
      and coalesce(status, 'running') <> 'cached' and ${inSearch(sql`kind`)}
    order by candidate_id, coalesce(status = 'completed', false) desc, status is null desc, n`);
  return new Map(rows.map((row) => [row.candidateId, row]));
}

/** A candidate and its parent. */
interface Pair {
  candidateId: string;
  parentId: string;
}

/** Unified diffs of candidates against their parents, in the order of the pairs; empty if both are the same. */
export async function findDiffs(db: Tx, pairs: readonly Pair[]): Promise<string[]> {
  const ids = [...new Set(pairs.flatMap(({ candidateId, parentId }) => [candidateId, parentId]))];
  if (ids.length === 0) return [];
  const loaded = await loadCandidates(db, ids);
  const files = new Map(ids.map((id, i) => [id, bytesOf(loaded[i] ?? {})]));
  return pairs.map(({ candidateId, parentId }) =>
    unifiedDiff(fileDiffs(files.get(parentId) ?? {}, files.get(candidateId) ?? {})),
  );
}

const bytesOf = (files: Record<string, string>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
