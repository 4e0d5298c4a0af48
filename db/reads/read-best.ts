import { sql } from 'drizzle-orm';
import type { StatusView } from '../../view/status.ts';
import type { Tx } from '../connect.ts';
import { isComparable } from '../trial/comparable.ts';
import { findMeanCompute } from '../trial/compute-used.ts';
import { inSearch } from '../trial/in-search.ts';
import { readClaims } from './status/read-claims.ts';
import { readWorkspace, type WorkspaceFile } from './read-files.ts';
import type { ResearchView } from './read-research.ts';
import { readStatus } from './read-status.ts';
import { readTrial } from './read-trial.ts';

export interface Best {
  trialId: string | null;
  candidateId: string;
  value: number;
  /** False if the candidate could have written one of its scores itself. */
  trusted: boolean;
  /** Hypothesis of the search trial; null for the unmodified workspace. */
  hypothesis: string | null;
  /** Reason of its claim; null for the unmodified workspace. */
  reason: string | null;
  /** Failed runs of the best, and basis of its claim, as in the status; null for a lead. */
  failed: number | null;
  basis: string | null;
  /** Gain over the baseline with a 95 % interval; null if nothing is claimed. */
  gain: { value: number; low: number; high: number } | null;
  /**
   * Mean seconds on the slot of its scored runs, and of the baseline's; null if either has none, or if the best is the
   * baseline.
   */
  meanSeconds: { best: number; baseline: number } | null;
  status: StatusView;
  /** Every file, mutable and immutable. */
  workspace: WorkspaceFile[];
  /** False for a lead, which is not a claim yet. */
  claimed: boolean;
}

/**
 * The incumbent with its whole workspace; with `of: lead`, the lead, if it is another candidate. Undefined until the
 * baseline is measured.
 */
export async function readBest(
  db: Tx,
  input: { research: ResearchView; of?: 'best' | 'lead' },
): Promise<Best | undefined> {
  const { research, of: target = 'best' } = input;
  const status = await readStatus(db, { research });
  if (!status.best) return undefined;
  const lead = target === 'lead' ? status.lead : null;
  const { candidateId, trialId, value, trusted } = lead ?? status.best;
  const gain = lead ? null : status.gain.claim;
  const claim = (await readClaims(db, { researchId: research.id })).findLast((one) => one.candidateId === candidateId);
  const found = trialId === null ? undefined : await readTrial(db, { trialId });
  // The candidate ran in the workspace of its own task version, which `changeTask` may have replaced since.
  const taskHash = found?.trial.taskHash ?? research.taskHash;
  const workspace = await readWorkspace(db, { candidateId, taskHash });
  if (!workspace)
    throw new Error(`Expected the stored files of candidate ${candidateId}, found none: the database lost rows`);
  const proposed = found?.trial.kind === 'search' || found?.trial.kind === 'injected';
  return {
    trialId,
    candidateId,
    value,
    trusted,
    hypothesis: proposed ? (found.trial.hypothesis ?? null) : null,
    reason: claim?.reason ?? null,
    failed: lead ? null : (status.best.failed ?? 0),
    basis: lead ? null : (status.best.basis ?? null),
    gain: gain && { value: gain.gain, low: gain.low, high: gain.high },
    meanSeconds: await readMeanSeconds(db, { research, candidateId }),
    status,
    workspace,
    claimed: lead === null,
  };
}

async function readMeanSeconds(
  db: Tx,
  { research, candidateId }: { research: ResearchView; candidateId: string },
): Promise<Best['meanSeconds']> {
  const { id: researchId, taskHash, baselineCandidate } = research;
  if (candidateId === baselineCandidate) return null;
  const means = await findMeanCompute(db, { researchId, taskHash, candidateIds: [candidateId, baselineCandidate] });
  const [best, baseline] = [means.get(candidateId)?.seconds, means.get(baselineCandidate)?.seconds];
  return best === undefined || baseline === undefined ? null : { best, baseline };
}

interface Scored {
  researchId: string;
  taskHash: string;
  direction: 'minimize' | 'maximize';
}

/**
 * Id of the trial with the best score of a single run, of any verdict of the gate; null if there is none. Only trials
 * of the search under the metric of `taskHash` count, and only scores that the trial could not have written itself.
 * Runs of candidates that a person discarded do not count.
 */
export async function readSingleBest(db: Tx, { researchId, taskHash, direction }: Scored): Promise<string | null> {
  const order = direction === 'minimize' ? sql`value` : sql`value desc`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select trials.id from trials
    where research_id = ${researchId} and status = 'completed' and trusted and ${inSearch(sql`kind`)}
      and value not in ('NaN', 'Infinity', '-Infinity') and ${isComparable(taskHash)}
      and candidate_id not in (
        select jsonb_array_elements_text(coalesce(gate->'discardedByPerson', '[]')) from researches
        where id = ${researchId})
    order by ${order}, n limit 1`);
  return rows[0]?.id ?? null;
}
