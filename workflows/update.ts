import { getExternalWorkflowHandle, log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { LearnActivities } from '../activities/index.ts';
import { UPDATE_ENDED } from '../domain/names.ts';
import { tellFloor } from './tell-floor.ts';
import { optionsOf } from './timeouts.ts';

export interface UpdateInput {
  researchId: string;
  k: number;
  /** Shortens every timeout, for tests. */
  tempo: number;
}

/** One update of a policy. Its row says whether it is due: begun again, it does the rest. */
export async function update({ researchId, k, tempo }: UpdateInput): Promise<void> {
  tellFloor();
  const { learn } = proxyActivities<LearnActivities>({ ...optionsOf(tempo).update, summary: `update ${k}` });
  const { researchRun } = await learn({ researchId, k });
  // The research that began it hears of its end from Temporal; after a hand-over another run is in charge.
  if (researchRun !== null && researchRun !== workflowInfo().parent?.runId) await tell(researchId);
}

/** A research that closed is no error: the row is there when it is started again. */
async function tell(researchId: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(researchId).signal(UPDATE_ENDED);
  } catch (error) {
    log.info('the research is closed; the update is in the database', { researchId, error: String(error) });
  }
}
