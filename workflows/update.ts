import { proxyActivities } from '@temporalio/workflow';
import type { LearnActivities } from '../activities/index.ts';
import { UPDATE_ENDED } from '../domain/messages/names.ts';
import { tellFloor } from './tell-floor.ts';
import { tellResearch } from './tell-research.ts';
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
  await tellResearch({ researchId, researchRun }, { signal: UPDATE_ENDED });
}
