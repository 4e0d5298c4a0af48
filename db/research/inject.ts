import type { Db } from '../connect.ts';
import { wantedRuns } from '../schema.ts';
import { saveCandidate } from '../trial/candidate.ts';
import { lockResearch } from './research.ts';
import { and, eq, sql } from 'drizzle-orm';

export interface InjectInput {
  researchId: string;
  /** The task version that the proposal was checked against. */
  taskHash: string;
  /** Names the injection: repeated, it asks for nothing more. */
  key: string;
  candidate: { id: string; immutableHash: string; files: Record<string, string> };
  parentId: string;
  hypothesis: string;
}

/** Asks for a run of a person's proposal, ahead of new proposals. Throws where the task has changed since it was checked. */
export async function injectRun(db: Db, input: InjectInput): Promise<void> {
  await db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    if (research.taskHash !== input.taskHash)
      throw new Error(`the task of ${input.researchId} changed meanwhile: the proposal has to be checked again`);
    const there = await tx
      .select({ id: wantedRuns.id })
      .from(wantedRuns)
      .where(and(eq(wantedRuns.researchId, input.researchId), sql`${wantedRuns.proposal} ->> 'key' = ${input.key}`));
    if (there.length > 0) return;
    await saveCandidate(tx, input.candidate);
    await tx.insert(wantedRuns).values({
      researchId: input.researchId,
      kind: 'injected',
      candidateId: input.candidate.id,
      ofTrial: null,
      proposal: { key: input.key, parentId: input.parentId, hypothesis: input.hypothesis },
    });
  });
}
