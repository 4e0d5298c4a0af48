import { ApplicationFailure } from '@temporalio/activity';
import type { Store } from '../../db/store.ts';
import { ALERT_CHARACTERS } from '../../domain/research/alert-characters.ts';
import { unheardOf } from '../../domain/floor/unheard.ts';

/** A run of a research that is opened, and the run that it was begun again in place of. */
interface Opening {
  researchId: string;
  runId?: string;
  after?: string;
}

/**
 * Opens a research for a run of its workflow. Where that is refused, the run has ended without having heard what an ended one
 * left for it: that is told and forgotten, since a much later start of the same id must not act on it. What cannot be told, of a
 * research that has no row, stays, and so does what waits for another run than this one.
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
      const unheard = left ? unheardOf(left, ALERT_CHARACTERS - tellOf('').length) : '';
      // First: what is forgotten nobody can tell of any more.
      const isTold =
        unheard === '' || (await research.insertAlert({ researchId, message: tellOf(unheard), once: true }));
      if (isTold) await research.forgetLeftFor(of);
    }
    throw error;
  }
}

const tellOf = (unheard: string): string =>
  `it could not go on after an upgrade, and has not heard: ${unheard}. Once it goes on, send again what still holds`;
