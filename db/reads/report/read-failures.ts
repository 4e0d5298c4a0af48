import { sql } from 'drizzle-orm';
import { FAULTS } from '../../../domain/report/failure-fault.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import type { ReportedFailure } from '../../../view/report/report.ts';
import type { Tx } from '../../connect.ts';
import { finite } from '../page/finite.ts';
import { isoOf } from '../page/iso.ts';
import type { ResearchView } from '../read-research.ts';

interface Row extends Record<string, unknown> {
  label: FailureLabel;
  count: number;
  first: string;
  last: string;
  slotSeconds: number;
  all: number;
  n: number;
  message: string | null;
}

/** Failures of trials that ended since a time, by label, the most frequent first. A stopped run has not failed. */
export async function readFailures(
  db: Tx,
  { research, from }: { research: ResearchView; from: Date },
): Promise<ReportedFailure[]> {
  const { rows } = await db.execute<Row>(sql`
    with ended as (
      select n, status, failure, failure_message, ended_at, coalesce(${finite(sql`seconds`)}, 0) as seconds from trials
      where research_id = ${research.id} and status is not null and ended_at >= ${from.toISOString()}::timestamptz)
    select failure as label, count(*)::int as count, min(ended_at) as first, max(ended_at) as last,
      sum(seconds)::float8 as "slotSeconds", (select sum(seconds)::float8 from ended) as all,
      (array_agg(n order by n desc))[1] as n, (array_agg(failure_message order by n desc))[1] as message
    from ended where failure is not null and status <> 'aborted' group by failure order by count desc, failure`);
  return rows.map(({ label, count, first, last, slotSeconds, all, n, message }) => ({
    label,
    fault: FAULTS[label],
    count,
    first: isoOf(first),
    last: isoOf(last),
    slotSeconds,
    share: all === 0 ? 0 : slotSeconds / all,
    example: { n, message },
  }));
}
