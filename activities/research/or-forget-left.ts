import { ApplicationFailure } from '@temporalio/activity';
import type { Store } from '../../db/store.ts';
import { unheardOf } from '../../domain/floor/unheard.ts';

/** A run of a research that is opened, and the run that it was begun again in place of. */
interface Opening {
  researchId: string;
  runId?: string;
  after?: string;
}

/**
 * Opens a research for a run of its workflow. Where that is refused, the run has ended without having heard what an ended one
 * left for it: that is told and forgotten, since a much later start of the same id must not act on it. What waits for another
 * run than this one stays.
 */
export async function orForgetLeft(
  { research }: Pick<Store, 'research'>,
  { researchId, runId, after }: Opening,
  open: () => Promise<void>,
): Promise<void> {
  try {
    await open();
  } catch (error) {
    const isRefused = error instanceof ApplicationFailure && error.nonRetryable === true;
    if (isRefused && runId !== undefined) {
      const of = { researchId, runId, ...(after === undefined ? {} : { after }) };
      const left = await research.findLeftFor(of);
      const unheard = left ? unheardOf(left) : [];
      const message = `it could not go on after an upgrade, and has not heard: ${unheard.join('; ')}. Once it goes on, send again what still holds`;
      // First: what is forgotten nobody can tell of any more.
      if (unheard.length > 0) await research.insertAlert({ researchId, message, once: true });
      await research.forgetLeftFor(of);
    }
    throw error;
  }
}
