import { and, asc, eq } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';
import { artefactFiles, artefacts } from '../../schema.ts';

export interface StoredArtefact {
  path: string;
  /** SHA-256 of its content. */
  hash: string;
  /** Null if `perpetua clean` removed it. */
  content: Buffer | null;
}

/** Artefacts of one run of a trial, by path. */
export async function readArtefacts(
  db: Tx,
  { jobId, placement }: { jobId: string; placement: number },
): Promise<StoredArtefact[]> {
  return db
    .select({ path: artefacts.path, hash: artefacts.blobHash, content: artefactFiles.content })
    .from(artefacts)
    .leftJoin(
      artefactFiles,
      and(
        eq(artefactFiles.trialId, artefacts.jobId),
        eq(artefactFiles.placement, artefacts.placement),
        eq(artefactFiles.path, artefacts.path),
      ),
    )
    .where(and(eq(artefacts.jobId, jobId), eq(artefacts.placement, placement)))
    .orderBy(asc(artefacts.path));
}
