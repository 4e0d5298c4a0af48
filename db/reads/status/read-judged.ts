import { sql } from 'drizzle-orm';
import type { JudgedRuns } from '../../../domain/abort/audit/tally.ts';
import type { Tx } from '../../connect.ts';
import { FAILED } from '../../run/abort.ts';

/** Runs of one task version that were judged alike. */
export type Judged = Omit<JudgedRuns, 'direction' | 'target'> & { taskHash: string };

/** An ended trial. The time is text from Postgres: a Date would lose the microseconds. */
interface End {
  endedAt: string;
  n: number;
}

interface Input {
  researchId: string;
  after: End | null;
  limit: number;
}

/**
 * Next trials in the order of their ends: their number, the last one, and their runs that a rule judged. Postgres
 * counts the runs, since there may be tens of thousands.
 */
export async function readJudged(
  db: Tx,
  { researchId, after, limit }: Input,
): Promise<{ ended: number; last: End | null; judged: Judged[] }> {
  const later = after && sql`and (ended_at, n) > (${after.endedAt}::timestamptz, ${after.n}::int)`;
  const next = sql`
    select id, n, placement, task_hash, status, value, ended_at from trials
    where research_id = ${researchId} and status is not null ${later ?? sql``}
    order by ended_at, n limit ${limit}`;
  const { rows: ends } = await db.execute<End & { ended: number } & Record<string, unknown>>(sql`
    select ended_at::text as "endedAt", n, (count(*) over ())::int as ended from (${next}) trials
    order by ended_at desc, n desc limit 1`);
  const [last] = ends;
  if (last === undefined) return { ended: 0, last: null, judged: [] };
  const { rows } = await db.execute<Judged & Record<string, unknown>>(sql`
    select trials.task_hash as "taskHash", wanted, audited, probability as "auditProbability",
      ${FAILED} as failed,
      incumbent is not null as measured,
      case when value < incumbent then -1 when value > incumbent then 1 when value = incumbent then 0 end as side,
      count(*)::int as runs,
      coalesce(sum(elapsed * (1 / share - 1)) filter (where wanted and not audited and share > 1e-9 and share < 1), 0)
        as "leftSeconds"
    from (${next}) trials
    -- Finds each run by its key, and reads only the needed parts of the rule's record: whole records do not fit in
    -- memory to be sorted.
    cross join lateral (
      select (abort->>'abort')::boolean as wanted, (abort->>'audited')::boolean as audited,
        (abort->>'auditProbability')::float8 as probability,
        coalesce(abort->>'judgedBy', abort->>'incumbent')::float8 as incumbent,
        (abort->>'share')::float8 as share, (abort->>'elapsed')::float8 as elapsed
      from runs
      where runs.trial_id = trials.id and runs.placement = trials.placement and abort is not null offset 0) judged
    group by 1, 2, 3, 4, 5, 6, 7`);
  return { ended: last.ended, last: { endedAt: last.endedAt, n: last.n }, judged: rows };
}
