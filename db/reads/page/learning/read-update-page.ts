import type { TrialStatus, ShownVerdict } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { readBatch, readDrawn } from '../../policy/read-samples.ts';
import { readUpdateRows } from '../../policy/read-update-rows.ts';
import type { ResearchView } from '../../read-research.ts';

/** A sample of a batch, and what came of it. */
export interface BatchLine {
  trialId: string;
  n: number;
  group: number;
  /** The version that drew it. */
  version: number;
  status: TrialStatus | null;
  value: number | null;
  reward: number | null;
  verdict: ShownVerdict | null;
  /** Why the update left it out; null where it did not. */
  skipped: string | null;
}

export interface UpdateTrialsPage {
  /** Samples that made the weights of the version, in the order in which they joined. */
  batch: BatchLine[];
  /** Samples that the version drew. */
  drawn: number;
}

/** The trials that made version `k`; version 0 was made by none. Undefined where there is no such update. */
export async function readUpdatePage(
  db: Tx,
  { research, k }: { research: ResearchView; k: number },
): Promise<UpdateTrialsPage | undefined> {
  const researchId = research.id;
  const drawn = (await readDrawn(db, { researchId, version: k })).length;
  if (k === 0) return { batch: [], drawn };
  const [update] = await readUpdateRows(db, { researchId, k });
  if (!update) return undefined;
  const skipped = new Map((update.skipped ?? []).map(({ id, reason }) => [id, reason]));
  const batch = await readBatch(db, { trialIds: update.batch });
  return {
    batch: batch.map(({ policyVersion, ...sample }) => ({
      ...{ ...sample, version: policyVersion, skipped: skipped.get(sample.trialId) ?? null },
    })),
    drawn,
  };
}
