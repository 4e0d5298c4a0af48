import type { Tx } from '../../../connect.ts';
import { readResearch, type ResearchView } from '../../read-research.ts';
import { readTrial, type TrialView } from '../../read-trial.ts';

/** A trial with its placements and its research; undefined for an unknown id. */
export async function findTrial(
  db: Tx,
  { trialId }: { trialId: string },
): Promise<(TrialView & { research: ResearchView }) | undefined> {
  const found = await readTrial(db, { trialId });
  const research = found && (await readResearch(db, { researchId: found.trial.researchId }));
  return found && research && { ...found, research };
}
