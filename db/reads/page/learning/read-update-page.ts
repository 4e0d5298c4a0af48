import type { TrialStatus, ShownVerdict } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { readBatchShares, readTokenPlaces, type BatchShares, type TokenPlace } from '../../policy/read-batch-health.ts';
import { readBatch, readDrawn } from '../../policy/read-samples.ts';
import { readUpdateRows } from '../../policy/read-update-rows.ts';
import type { ResearchView } from '../../read-research.ts';

/** A sample of a batch, with its outcome. */
export interface BatchLine {
  trialId: string;
  n: number;
  group: number;
  /** Version that drew it. */
  version: number;
  status: TrialStatus | null;
  value: number | null;
  reward: number | null;
  verdict: ShownVerdict | null;
  /** Reason why the update skipped it; null if it did not. */
  skipped: string | null;
}

export interface UpdateTrialsPage {
  /** Null for an empty batch. */
  shares: BatchShares | null;
  places: TokenPlace[];
  /** Samples from which the version was made, in the order of joining. */
  batch: BatchLine[];
  /** Number of samples that the version drew. */
  drawn: number;
}

/** Trials from which version `k` was made; none for version 0. Undefined if there is no such update. */
export async function readUpdatePage(
  db: Tx,
  { research, k }: { research: ResearchView; k: number },
): Promise<UpdateTrialsPage | undefined> {
  const researchId = research.id;
  const drawn = (await readDrawn(db, { researchId, version: k })).length;
  if (k === 0) return { shares: null, places: [], batch: [], drawn };
  const [update] = await readUpdateRows(db, { researchId, k });
  if (!update) return undefined;
  const skipped = new Map((update.skipped ?? []).map(({ id, reason }) => [id, reason]));
  const batch = await readBatch(db, { trialIds: update.batch });
  return {
    shares: await readBatchShares(db, { trialIds: update.batch }),
    places: await readTokenPlaces(db, { trialIds: update.batch }),
    batch: batch.map(({ policyVersion, ...sample }) => ({
      ...sample,
      version: policyVersion,
      skipped: skipped.get(sample.trialId) ?? null,
    })),
    drawn,
  };
}
