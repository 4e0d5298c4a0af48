import type { AbortTally } from '../../../domain/abort/audit/tally.ts';
import type { Tx } from '../../connect.ts';
import { readAbort } from './read-abort.ts';
import type { ResearchView } from '../read-research.ts';

/** How old the tally of a research that goes on may be. */
const FRESH_MS = 10_000;

/** Reads the tally of a research of which so many trials have ended. */
export type AbortReader = (
  db: Tx,
  input: { research: Pick<ResearchView, 'id' | 'phase'>; ended: number },
) => Promise<AbortTally | null>;

/**
 * For one who looks each second: the tally counts every run that was judged, and there may be tens of thousands. It is
 * counted anew only where a trial has ended since; while the research goes on, each ten seconds at most.
 */
export function createAbortReader(): AbortReader {
  const kept = new Map<string, { ended: number; at: number; tally: AbortTally | null }>();
  return async (db, { research, ended }) => {
    const known = kept.get(research.id);
    const over = research.phase === 'stopped' || research.phase === 'failed';
    if (known && (known.ended === ended || (!over && Date.now() - known.at < FRESH_MS))) return known.tally;
    const at = Date.now();
    const tally = await readAbort(db, research);
    kept.set(research.id, { ended, at, tally });
    return tally;
  };
}
