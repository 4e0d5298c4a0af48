import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Db, Tx } from '../connect.ts';
import { taskVersions, trials } from '../schema.ts';
import { saveCandidate } from './candidate.ts';

export type Trial = typeof trials.$inferSelect;

/** The trial's row; throws where there is none. */
export async function loadTrial(db: Tx, trialId: string): Promise<Trial> {
  const row = (await db.select().from(trials).where(eq(trials.id, trialId)))[0];
  if (!row) throw new Error(`Expected a trial ${trialId} in the database, found none`);
  return row;
}

/** Fixes the parent of a proposal and how much was known; the first attempt wins, so a retry edits the same parent. */
export async function beginProposal(
  db: Db,
  input: { trialId: string; researchId: string; parentId: string; proposer: string },
): Promise<Trial> {
  await db
    .update(trials)
    .set({
      parentId: input.parentId,
      proposer: input.proposer,
      contextEnded: sql`(select count(*) from trials done where done.research_id = ${input.researchId} and done.status is not null)`,
    })
    .where(and(eq(trials.id, input.trialId), isNull(trials.parentId)));
  return loadTrial(db, input.trialId);
}

export interface ProposalInput {
  trialId: string;
  candidate: { id: string; immutableHash: string; files: Record<string, string> };
  hypothesis: string;
  expectedDelta: number | null;
  edits: unknown;
}

/** Stores what was proposed; the first attempt wins. Returns the trial as it is stored. */
export async function saveProposal(db: Db, input: ProposalInput): Promise<Trial> {
  return db.transaction(async (tx) => {
    await saveCandidate(tx, input.candidate);
    await tx
      .update(trials)
      .set({
        candidateId: input.candidate.id,
        hypothesis: input.hypothesis,
        expectedDelta: input.expectedDelta,
        edits: input.edits,
        readyAt: sql`now()`,
      })
      .where(and(eq(trials.id, input.trialId), isNull(trials.candidateId)));
    return loadTrial(tx, input.trialId);
  });
}

/**
 * An earlier trial of the same research that ran this candidate under the same metric, or is about to; trials that
 * were lost or stopped by a person do not count. Of two at once the one with the lower number runs.
 */
export async function findTwin(db: Db, trial: Trial): Promise<Trial | undefined> {
  if (!trial.candidateId) return undefined;
  const rows = await db
    .select({ trial: trials })
    .from(trials)
    .innerJoin(taskVersions, eq(taskVersions.hash, trials.taskHash))
    .where(
      and(
        eq(trials.researchId, trial.researchId),
        eq(trials.candidateId, trial.candidateId),
        ne(trials.id, trial.id),
        sql`${trials.n} < ${trial.n}`,
        sql`coalesce(${trials.status}, 'running') not in ('lost', 'aborted', 'cached')`,
        sql`${taskVersions.metricKey} = (select metric_key from task_versions mine where mine.hash = ${trial.taskHash})`,
      ),
    )
    .orderBy(trials.n)
    .limit(1);
  return rows[0]?.trial;
}
