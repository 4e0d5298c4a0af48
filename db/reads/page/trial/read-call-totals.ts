import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

/** What a trial's calls used, and how its last one went. */
export interface CallTotals {
  usd: number | null;
  tokens: number | null;
  /** In the form that `waitsFor` reads; an answer itself is left out. */
  last: { answer: string | null; error: string | null }[];
}

/** Sums over the calls of a trial; null where it made none, or none has a price. */
export async function readCallTotals(db: Tx, { trialId }: { trialId: string }): Promise<CallTotals> {
  const { rows } = await db.execute<CallTotals & Record<string, unknown>>(sql`
    select sum(usd) as usd, sum(tokens_in + tokens_out)::float8 as tokens,
      coalesce((select json_agg(last) from (
        select case when answer is not null then '' end as answer, error from calls where trial_id = ${trialId}
        order by turn desc limit 1) last), '[]') as last
    from calls where trial_id = ${trialId}`);
  return rows[0] ?? { usd: null, tokens: null, last: [] };
}
