import { sql, type SQL } from 'drizzle-orm';
import { ratesOf, type CallCounts, type CallRates } from '../../../view/rows/rates.ts';
import type { Tx } from '../../connect.ts';
import { finite } from '../page/finite.ts';

const latency = finite(sql`latency_seconds`);
const counts = sql`
  (count(*) filter (where answer is not null or answered_at is not null))::int as answers,
  (count(*) filter (where unused <> 'duplicate'))::int as bad,
  (count(*) filter (where unused = 'duplicate'
    or (unused is null and protocol is null
      and (trials.status = 'cached' or trials.runs_before > 0))))::int as duplicates,
  (count(*) filter (where (answer is not null or answered_at is not null) and calls.usd is null))::int as unpriced,
  coalesce(sum(failed), 0)::int as failed,
  coalesce(sum(limited), 0)::int as limited,
  coalesce(sum(repeated), 0)::int as repeated,
  percentile_cont(0.5) within group (order by ${latency})::float8 as p50,
  percentile_cont(0.95) within group (order by ${latency})::float8 as p95
  from calls join trials on trials.id = calls.trial_id and calls.role = 'proposer'`;

interface Counted extends CallCounts, Record<string, unknown> {}

/** True for a claim of a research with calls: claims without calls would make others look cheap. */
const HAS_CALLS = sql`exists (
  select 1 from calls join trials on trials.id = calls.trial_id where trials.research_id = claims.research_id)`;

/**
 * Call rates of the proposers of a research, and the cost of a claim; of all researches if `id` is null. Null
 * if no model was called.
 */
export async function readRates(
  db: Tx,
  { id, usd, tokens }: { id: string | null; usd: number; tokens: number },
): Promise<CallRates | null> {
  const { rows } = await db.execute<Counted & { claims: number }>(sql`
    select (select count(*) from claims where ${ofResearch(sql`research_id`, id)} and ${HAS_CALLS})::int as claims,
      ${counts}
    where ${ofResearch(sql`trials.research_id`, id)}`);
  const [row] = rows;
  return row ? ratesOf(row, { usd, tokens, claims: row.claims }) : null;
}

const ofResearch = (column: SQL, id: string | null): SQL => (id === null ? sql`true` : sql`${column} = ${id}`);

/** Call rates of one trial's proposer; null if it called no model. */
export async function readTrialRates(db: Tx, { trialId }: { trialId: string }): Promise<CallRates | null> {
  const { rows } = await db.execute<Counted>(sql`select ${counts} where trials.id = ${trialId}`);
  return rows[0] ? ratesOf(rows[0]) : null;
}
