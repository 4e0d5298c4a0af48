import { sql } from 'drizzle-orm';
import { standingOf } from '../../view/standing.ts';
import type { ClaimCommit } from '../../domain/git/commit-message.ts';
import { trialIdOf } from '../../domain/trial/ids.ts';
import type { Tx } from '../connect.ts';
import { claimKey, readOutdatedClaims } from './page/outdated-claims.ts';
import { readWorkspace, type WorkspaceFile } from './read-files.ts';
import type { ResearchView } from './read-research.ts';

/** A claim with the keys of its workspace. */
export interface ClaimedAt extends ClaimCommit {
  taskHash: string;
  at: Date;
}

interface Row extends Record<string, unknown> {
  seq: number;
  candidateId: string;
  ofTrial: number | null;
  value: number;
  sd: number | null;
  n: number;
  reason: string;
  by: string;
  at: Date;
  hypothesis: string | null;
  taskHash: string;
}

/**
 * Claims of a research with a higher number than `after`, in order. If `after` is negative, the unmodified version
 * comes first, as claim 0.
 */
export async function readClaimed(
  db: Tx,
  { research, after }: { research: ResearchView; after: number },
): Promise<ClaimedAt[]> {
  const { id, task, createdAt } = research;
  // All task versions under which a candidate ran hold the same immutable files: the candidate's id covers them, too.
  const { rows } = await db.execute<Row>(sql`
    select seq, claims.candidate_id as "candidateId", claims.of_trial as "ofTrial",
      claims.value, sd, claims.n, claims.reason,
      by, at, trials.hypothesis, coalesce(trials.task_hash, (
        select ran.task_hash from trials ran where ran.research_id = ${id} and ran.candidate_id = claims.candidate_id
        order by ran.n desc limit 1), ${research.taskHash}) as "taskHash"
    from claims left join trials on trials.research_id = claims.research_id and trials.n = claims.of_trial
    where claims.research_id = ${id} and seq > ${after} order by seq`);
  const outdated = await readOutdatedClaims(db, id);
  const { direction, name, unit = null } = task.metric;
  const common = { researchId: id, task: task.name, metric: { name, direction, unit } };
  const baseline = standingOf(research).baseline?.value ?? null;
  const made = rows.map(({ ofTrial, value, sd, n, at, ...row }): ClaimedAt => {
    const isOld = outdated.has(claimKey(id, row.seq));
    return {
      ...common,
      ...row,
      trialId: ofTrial === null ? null : trialIdOf(id, ofTrial),
      value: isOld ? null : { mean: value, sd, n },
      baseline: isOld ? null : baseline,
      at: new Date(at),
    };
  });
  return after >= 0 ? made : [{ ...common, ...(await readOriginal(db, research)), at: createdAt }, ...made];
}

const NOTHING = { seq: 0, trialId: null, hypothesis: null, reason: null, by: 'gate', value: null, baseline: null };

async function readOriginal(db: Tx, { id, baselineCandidate, taskHash }: ResearchView) {
  const { rows } = await db.execute<{ candidateId: string; taskHash: string }>(sql`
    select candidate_id as "candidateId", task_hash as "taskHash" from trials
    where research_id = ${id} and kind = 'baseline' and candidate_id is not null order by n limit 1`);
  return { ...NOTHING, ...(rows[0] ?? { candidateId: baselineCandidate, taskHash }) };
}

/** Workspace of a claim. Throws if its files are not stored. */
export async function readClaimedFiles(db: Tx, { candidateId, taskHash }: ClaimedAt): Promise<WorkspaceFile[]> {
  const files = await readWorkspace(db, { candidateId, taskHash });
  if (!files)
    throw new Error(`Expected the stored files of candidate ${candidateId}, found none: the database lost rows`);
  return files;
}
