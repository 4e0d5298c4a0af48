import { sql } from 'drizzle-orm';
import { ganttSpan } from '../../../../view/page/thin-curve.ts';
import type { Tx } from '../../../connect.ts';

export interface GanttPage {
  from: string;
  to: string;
  /** Slot ids, in the order of the fleet. */
  slots: string[];
  bars: {
    /** Index into `slots`. */
    slot: number[];
    trialId: string[];
    /** Seconds since `from`. */
    start: number[];
    seconds: number[];
    /** Index into the outcomes: running, completed, aborted, failed, lost, other. */
    outcome: number[];
  };
  /** True if there were more runs than the page holds; it holds the newest. */
  cut: boolean;
}

/** Most runs of a page. */
const MOST = 20_000;

interface Bar extends Record<string, unknown> {
  slot: string;
  trialId: string;
  start: number;
  seconds: number;
  outcome: number;
}

/** Runs in a period of at most a day, cut at its bounds. */
export async function readGantt(
  db: Tx,
  { now, from, to }: { now: Date; from?: string | undefined; to?: string | undefined },
): Promise<GanttPage> {
  const span = ganttSpan(now, { from, to });
  const [begin, end] = [sql`${span.from}::timestamptz`, sql`${span.to}::timestamptz`];
  const { rows } = await db.execute<Bar>(sql`
    select runs.slot_id as slot, runs.trial_id as "trialId",
      extract(epoch from greatest(runs.launched_at, ${begin}) - ${begin})::float8 as start,
      extract(epoch from least(coalesce(runs.ended_at, ${now.toISOString()}::timestamptz), ${end})
        - greatest(runs.launched_at, ${begin}))::float8 as seconds,
      case when runs.ended_at is null then 0 when runs.placement < trials.placement then 4
        when trials.status = 'completed' then 1 when trials.status = 'aborted' then 2
        when trials.status in ('crashed', 'timed_out', 'diverged', 'rejected') then 3
        when trials.status = 'lost' then 4 else 5 end as outcome
    from runs
    -- Finds each trial by its key: a join would read all trials of all time.
    left join lateral (select status, placement from trials where trials.id = runs.trial_id offset 0) trials on true
    where runs.launched_at < ${end} and (runs.ended_at is null or runs.ended_at > ${begin})
      and coalesce(runs.ended_at, ${now.toISOString()}::timestamptz) > ${begin}
    order by runs.launched_at desc limit ${MOST + 1}`);
  const bars = rows.slice(0, MOST);
  const slots = await inFleetOrder(db, [...new Set(bars.map(({ slot }) => slot))]);
  const indices = new Map(slots.map((slot, index) => [slot, index]));
  return {
    ...span,
    slots,
    bars: {
      slot: bars.map(({ slot }) => indices.get(slot) ?? 0),
      trialId: bars.map(({ trialId }) => trialId),
      start: bars.map(({ start }) => start),
      seconds: bars.map(({ seconds }) => Math.max(0, seconds)),
      outcome: bars.map(({ outcome }) => outcome),
    },
    cut: rows.length > MOST,
  };
}

/** Slot ids in the order of the fleet; slots that no longer exist come last. */
async function inFleetOrder(db: Tx, ids: string[]): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select wanted.id from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) wanted(id)
    left join slots on slots.id = wanted.id order by slots.pool, slots.host, slots.index, wanted.id`);
  return rows.map(({ id }) => id);
}
