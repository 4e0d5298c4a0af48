import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';

/** Points of a curve that a prompt shows. */
const SHOWN = 6;

/** A few points of the curves of runs, evenly by their order, the first and the last among them; by trial. */
export async function findCurvePoints(
  db: Tx,
  runs: readonly { id: string; placement: number }[],
): Promise<Map<string, { step: number; value: number }[]>> {
  if (runs.length === 0) return new Map();
  const asked = JSON.stringify(runs.map(({ id, placement }) => ({ id, placement })));
  const { rows } = await db.execute<{ id: string; step: number; value: number }>(sql`
    with asked as (select * from jsonb_to_recordset(${asked}::jsonb) as asked(id text, placement int)),
    ends as (
      select asked.*, (select min(p.seq) from points p where p.trial_id = asked.id and p.placement = asked.placement) as first,
        (select max(p.seq) from points p where p.trial_id = asked.id and p.placement = asked.placement) as last
      from asked)
    select ends.id, p.step, p.value from ends
    join points p on p.trial_id = ends.id and p.placement = ends.placement and p.seq in (
      select first + ((last - first) * k) / ${SHOWN - 1}::int from generate_series(0, ${SHOWN - 1}::int) k)
    order by ends.id, p.seq`);
  const curves = new Map<string, { step: number; value: number }[]>();
  for (const { id, step, value } of rows) curves.set(id, [...(curves.get(id) ?? []), { step, value }]);
  return curves;
}
