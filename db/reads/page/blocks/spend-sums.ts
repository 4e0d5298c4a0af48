import { sql } from 'drizzle-orm';
import { finite } from '../finite.ts';
import { createBlockReader, type BlockReader, type BlockResearch } from './block-reader.ts';
import { BLOCK } from './snapshot.ts';

/** Sums over the calls of a block's trials that used a model. */
export type ModelSums = [
  model: string,
  calls: number,
  repeated: number,
  tokensIn: number,
  tokensOut: number,
  usd: number,
  unpriced: number,
];

/** Counts of the calls of proposers: those of `CallCounts`, in its order. */
export type RateSums = [
  answers: number,
  bad: number,
  duplicates: number,
  unpriced: number,
  failed: number,
  limited: number,
  repeated: number,
];

/** Spend in a quarter of an hour, which begins at `at` seconds since 1970. */
export type PeriodSums = [at: number, usd: number, tokens: number, seconds: number];

/** Sums over the calls and the ends of the trials of a block. */
export interface SpendBlock {
  models: ModelSums[];
  rates: RateSums | null;
  /** Latencies of the proposers' calls, in seconds, ascending. */
  latencies: Float64Array;
  periods: PeriodSums[];
  /** Trials that early abort stopped, and the seconds that their runs had left. */
  stopped: number;
  saved: number;
}

interface Research extends BlockResearch {
  /** Minutes by which quarters of an hour begin after the full hour of UTC, below 15. */
  offset: number;
}

export type SpendSumsReader = BlockReader<SpendBlock, Research>;

/** Researches whose sums are kept. 200,000 calls take about 3 MB. */
const KEPT = 100;

/** Creates a reader of sums of spend, for repeated reads: it reads only changed blocks again. */
export const createSpendSumsReader = (): SpendSumsReader =>
  createBlockReader<SpendBlock, Research>({
    kept: KEPT,
    keyOf: ({ offset }) => String(offset),
    readRange: async (db, { id, offset }, { first, last }) => {
      const { rows } = await db.execute<Row>(statement({ id, offset, first, last }));
      return new Map(rows.map((row) => [row.block, blockOf(row)]));
    },
  });

interface Row extends Record<string, unknown> {
  block: number;
  models: ModelSums[] | null;
  rates: RateSums | null;
  latencies: string | null;
  periods: PeriodSums[] | null;
  stopped: number | null;
  saved: number | null;
}

const blockOf = ({ models, rates, latencies, periods, stopped, saved }: Row): SpendBlock => ({
  models: models ?? [],
  rates,
  latencies: Float64Array.from(latencies === null ? [] : latencies.split(','), Number).sort(),
  periods: periods ?? [],
  stopped: stopped ?? 0,
  saved: saved ?? 0,
});

const statement = ({ id, offset, first, last }: { id: string; offset: number; first: number; last: number }) => sql`
  with made as materialized (
    select id, n, (n - 1) / ${BLOCK}::int as block, status, runs_before, placement, ended_at, seconds from trials
    where research_id = ${id} and n > ${first * BLOCK} and n <= ${(last + 1) * BLOCK}),
  called as materialized (
    select block, role, model, repeated, coalesce(tokens_in, 0) as tokens_in, coalesce(tokens_out, 0) as tokens_out,
      ${finite(sql`usd`)} as usd, answered_at is not null and usd is null as is_unpriced,
      answer is not null or answered_at is not null as is_answered, usd is null as has_no_price,
      unused, protocol is null and (made.status = 'cached' or runs_before > 0) as is_copy, failed, limited,
      ${finite(sql`latency_seconds`)} as latency, ${quarter(sql`sent_at`, offset)} as at
    from made join calls on calls.trial_id = made.id),
  models as (
    select block, json_agg(json_build_array(model, calls, repeated, tokens_in, tokens_out, usd, unpriced)) as models
    from (
      select block, model, count(*) as calls, coalesce(sum(repeated), 0) as repeated, sum(tokens_in) as tokens_in,
        sum(tokens_out) as tokens_out, coalesce(sum(usd), 0) as usd, count(*) filter (where is_unpriced) as unpriced
      from called group by 1, 2) each group by 1),
  rates as (
    select block, json_build_array(count(*) filter (where is_answered),
        count(*) filter (where unused <> 'duplicate'),
        count(*) filter (where unused = 'duplicate' or (unused is null and is_copy)),
        count(*) filter (where is_answered and has_no_price),
        coalesce(sum(failed), 0), coalesce(sum(limited), 0), coalesce(sum(repeated), 0)) as rates,
      string_agg(latency::text, ',') as latencies
    from called where role = 'proposer' group by 1),
  periods as (
    select block, json_agg(json_build_array(at, usd, tokens, seconds)) as periods
    from (
      select block, at, sum(usd) as usd, sum(tokens) as tokens, sum(seconds) as seconds
      from (
        select block, at, coalesce(usd, 0) as usd, tokens_in + tokens_out as tokens, 0::float8 as seconds from called
        union all
        select block, ${quarter(sql`ended_at`, offset)}, 0, 0, coalesce(${finite(sql`seconds`)}, 0)
        from made where status is not null and ended_at is not null) spent
      group by 1, 2) each group by 1),
  stops as (
    select block, count(*)::int as stopped,
      coalesce(sum(elapsed * (1 / share - 1)) filter (where share > 1e-9 and share < 1), 0)::float8 as saved
    from (
      select block, (runs.abort->>'elapsed')::float8 as elapsed, (runs.abort->>'share')::float8 as share
      from made join runs on runs.trial_id = made.id and runs.placement = made.placement
      where (runs.abort->>'abort')::boolean and not (runs.abort->>'audited')::boolean and status is not null) stop
    group by 1)
  select block, models, rates, latencies, periods, stopped, saved
  from (select distinct block from made) blocks left join models using (block) left join rates using (block)
    left join periods using (block) left join stops using (block)`;

const quarter = (column: ReturnType<typeof sql>, offset: number) =>
  sql`extract(epoch from date_bin('15 minutes', ${column},
    ${new Date(offset * 60_000).toISOString()}::timestamptz))::int`;
