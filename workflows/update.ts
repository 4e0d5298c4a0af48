import { proxyActivities } from '@temporalio/workflow';
import type { LearnActivities } from '../activities/index.ts';
import { UPDATE_ENDED } from '../domain/messages/names.ts';
import { writeFloorMemo } from './write-floor-memo.ts';
import { signalResearch } from './signal-research.ts';
import { optionsOf } from './timeouts.ts';

export interface UpdateInput {
  researchId: string;
  k: number;
  /** Shortens every timeout, for tests. */
  tempo: number;
}

/** Carries out one update of a policy. A repeated start continues from the update's row. */
export async function update({ researchId, k, tempo }: UpdateInput): Promise<void> {
  writeFloorMemo();
  const { learn } = proxyActivities<LearnActivities>({ ...optionsOf(tempo).update, summary: `update ${k}` });
  const { researchRun } = await learn({ researchId, k });
  await signalResearch({ researchId, researchRun }, { signal: UPDATE_ENDED });
}
