import { ApplicationFailure } from '@temporalio/activity';
import type { Store } from '../../db/store.ts';

/**
 * Opens a research for a run of its workflow. Where that is refused, the run has ended without having heard what an ended one
 * left for it: that is forgotten, since a much later start of the same id must not act on it.
 */
export async function orForgetLeft(
  { research }: Pick<Store, 'research'>,
  { researchId, runId }: { researchId: string; runId?: string },
  open: () => Promise<void>,
): Promise<void> {
  try {
    await open();
  } catch (error) {
    const isRefused = error instanceof ApplicationFailure && error.nonRetryable === true;
    if (isRefused && runId !== undefined) await research.forgetRestart(researchId);
    throw error;
  }
}
