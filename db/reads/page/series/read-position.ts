import { sql, type SQL } from 'drizzle-orm';
import type { Axis } from '../../../../view/page/series/axis.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { finite } from '../finite.ts';
import { callsOf } from '../spend/calls-of.ts';

interface Input {
  research: Pick<ResearchView, 'id' | 'createdAt'>;
  axis: Axis;
  at: Date;
}

/** Position of a time on an axis of the series: that of the trials that had ended by then; 0 before the first end. */
export async function readPosition(db: Tx, { research: { id, createdAt }, axis, at }: Input): Promise<number> {
  if (axis === 'time') return Math.max(0, (at.getTime() - createdAt.getTime()) / 1000);
  const until = sql`${at.toISOString()}::timestamptz`;
  const ended = (value: SQL): SQL => sql`
    select ${value}::float8 as x from trials
    where research_id = ${id} and status is not null and ended_at <= ${until}`;
  const calls = (value: SQL): SQL => sql`
    select sum(${value})::float8 as x from calls where ${callsOf(id)} and exists (
      select 1 from trials where trials.id = calls.trial_id and status is not null and ended_at <= ${until})`;
  const statements = {
    trial: () => ended(sql`max(n)`),
    slotSeconds: () => ended(sql`sum(coalesce(nullif(seconds, 'NaN'), 0))`),
    tokens: () => calls(sql`coalesce(tokens_in, 0) + coalesce(tokens_out, 0)`),
    usd: () => calls(sql`coalesce(${finite(sql`usd`)}, 0)`),
  };
  const { rows } = await db.execute<{ x: number | null }>(statements[axis]());
  return rows[0]?.x ?? 0;
}
