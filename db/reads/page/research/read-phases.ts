import { sql } from 'drizzle-orm';
import { phaseSpans, type PhaseSpan } from '../../../../view/page/research/phase-spans.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { isoOf } from '../iso.ts';

/** Changes of the phase that are looked at, the last ones. */
const MOST = 400;

/** The phases that a research went through, the oldest first. */
export async function readPhases(
  db: Tx,
  { id, createdAt, phase, reason }: Pick<ResearchView, 'id' | 'createdAt' | 'phase' | 'reason'>,
): Promise<PhaseSpan[]> {
  const { rows } = await db.execute<{ at: string; data: unknown }>(sql`
    select at, data from events where research_id = ${id} and kind = 'phase'
    order by events.xid desc, events.id desc limit ${MOST}`);
  const told = rows.map(({ at, data }) => ({ at: isoOf(at), data })).reverse();
  // What is older than the changes that are looked at has no beginning here.
  const begun = told.length === MOST ? (told[0]?.at ?? createdAt.toISOString()) : createdAt.toISOString();
  return phaseSpans(told, { createdAt: begun, now: { phase, reason } });
}
