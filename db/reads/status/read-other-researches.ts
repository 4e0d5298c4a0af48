import { sql } from 'drizzle-orm';
import { isCheck } from '../../../domain/research/check-id.ts';
import type { Phase } from '../../../domain/research/phase.ts';
import type { Tx } from '../../connect.ts';

/** A research beside the one that is shown. */
interface OtherResearch extends Record<string, unknown> {
  id: string;
  phase: Phase;
}

/** The researches of the database but one, those under way first, then those that began last; no checks. */
export async function readOtherResearches(db: Tx, { but }: { but: string | null }): Promise<OtherResearch[]> {
  const { rows } = await db.execute<OtherResearch>(sql`
    select id, phase from researches where id is distinct from ${but}
    order by phase in ('stopped', 'failed'), created_at desc`);
  return rows.filter(({ id }) => !isCheck(id));
}
