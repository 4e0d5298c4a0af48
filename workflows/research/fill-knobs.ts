import { isCancellation } from '@temporalio/workflow';
import { activitiesOf } from './activities.ts';
import type { State } from './state.ts';

/**
 * Stores knobs that an older version did not store, beside the loop. If it is cut off, the next reconciliation restarts
 * it.
 */
export async function fillKnobs(state: State): Promise<void> {
  if (state.filling) return;
  state.filling = true;
  const { slow } = activitiesOf(state.input.tempo ?? 1, 'knobs of earlier candidates');
  try {
    while (!state.closing && (await slow.fillKnobs({ researchId: state.id })).left);
  } catch (error) {
    if (!isCancellation(error)) throw error;
  } finally {
    state.filling = false;
  }
}
