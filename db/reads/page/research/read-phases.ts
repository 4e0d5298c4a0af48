import { sql } from 'drizzle-orm';
import { phaseSpans, type PhaseSpan } from '../../../../view/page/research/phase-spans.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { isoOf } from '../iso.ts';

/** Most changes of phase that are read, the last ones. */
const MOST_PHASES = 400;

/** Phases of a research, oldest first. */
export async function readPhases(
  db: Tx,
  { id, createdAt, phase, reason }: Pick<ResearchView, 'id' | 'createdAt' | 'phase' | 'reason'>,
): Promise<PhaseSpan[]> {
  const { rows } = await db.execute<{ at: string; data: unknown }>(sql`
    select at, data from events where research_id = ${id} and kind = 'phase'
    order by events.xid desc, events.id desc limit ${MOST_PHASES}`);
  const changes = rows.map(({ at, data }) => ({ at: isoOf(at), data })).reverse();
  // If older changes were not read, the spans begin with the first change that was.
  const begun = changes.length === MOST_PHASES ? (changes[0]?.at ?? createdAt.toISOString()) : createdAt.toISOString();
  return phaseSpans(changes, { createdAt: begun, now: { phase, reason } });
}
