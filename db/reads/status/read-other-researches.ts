import { sql } from 'drizzle-orm';
import { isCheck } from '../../../domain/research/check-id.ts';
import type { Phase } from '../../../domain/research/phase.ts';
import type { Tx } from '../../connect.ts';

/** A research beside the shown one. */
interface OtherResearch extends Record<string, unknown> {
  id: string;
  phase: Phase;
}

/** Researches other than `but`, without checks: those under way first, then the newest first. */
export async function readOtherResearches(db: Tx, { but }: { but: string | null }): Promise<OtherResearch[]> {
  const { rows } = await db.execute<OtherResearch>(sql`
    select id, phase from researches where id is distinct from ${but}
    order by phase in ('stopped', 'failed'), created_at desc`);
  return rows.filter(({ id }) => !isCheck(id));
}
