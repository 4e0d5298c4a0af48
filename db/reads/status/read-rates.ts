import { sql } from 'drizzle-orm';
import { ratesOf, type CallCounts, type CallRates } from '../../../domain/view/rows/rates.ts';
import type { Tx } from '../../connect.ts';

const counts = sql`
  count(calls.answer)::int as answers,
  (count(*) filter (where unused <> 'duplicate'))::int as bad,
  (count(*) filter (where unused = 'duplicate' or (unused is null and trials.status = 'cached')))::int as duplicates,
  coalesce(sum(failed), 0)::int as failed,
  coalesce(sum(limited), 0)::int as limited,
  coalesce(sum(repeated), 0)::int as repeated,
  percentile_cont(0.5) within group (order by latency_seconds)::float8 as p50,
  percentile_cont(0.95) within group (order by latency_seconds)::float8 as p95
  from calls join trials on trials.id = calls.trial_id`;

interface Counted extends CallCounts, Record<string, unknown> {}

/** How the calls of a research go, and what a claim costs it; null where it asked no model. */
export async function readRates(
  db: Tx,
  { id, usd, tokens }: { id: string; usd: number; tokens: number },
): Promise<CallRates | null> {
  const { rows } = await db.execute<Counted & { claims: number }>(sql`
    select (select count(*) from claims where research_id = ${id})::int as claims, ${counts}
    where trials.research_id = ${id}`);
  const [row] = rows;
  return row ? ratesOf(row, { usd, tokens, claims: row.claims }) : null;
}

/** How the calls of one trial went; null where it asked no model. */
export async function readTrialRates(db: Tx, { trialId }: { trialId: string }): Promise<CallRates | null> {
  const { rows } = await db.execute<Counted>(sql`select ${counts} where trials.id = ${trialId}`);
  return rows[0] ? ratesOf(rows[0]) : null;
}
