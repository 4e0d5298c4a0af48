import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

export interface LogPage {
  /** Null before there is any. */
  text: string | null;
  placement: number | null;
  /** Whether the run printed more than that. */
  cut: boolean;
}

/** The stored end of the output of a trial's last placement; undefined for an unknown trial. */
export async function readLogPage(db: Tx, { trialId }: { trialId: string }): Promise<LogPage | undefined> {
  const { rows } = await db.execute<LogPage & Record<string, unknown>>(sql`
    select run.placement, run.log_tail as text,
      coalesce(greatest((run."end"->>'outputBytes')::float8, run.log_offset) > octet_length(run.log_tail), false) as cut
    from trials left join lateral (
      select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
    where trials.id = ${trialId}`);
  return rows[0] && { text: rows[0].text, placement: rows[0].placement, cut: rows[0].cut };
}
