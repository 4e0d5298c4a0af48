import { sql } from 'drizzle-orm';
import { claimWithInterval, type WithInterval } from '../../../../view/page/research/interval.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { claimKey, readOutdatedClaims } from '../outdated-claims.ts';
import { isoOf } from '../iso.ts';

/** A claim: the present one with its estimate, others as they were made. */
export interface ClaimLine extends WithInterval {
  /** The claim as it was made: the mean of the runs that won it. */
  made: WithInterval;
  seq: number;
  /** Number of the search trial that it confirms; null for the unmodified version. */
  ofTrial: number | null;
  candidateId: string;
  reason: string;
  by: string;
  at: string;
  /** Number of trials that had ended then. */
  ended: number;
  hypothesis: string | null;
}

type Row = Omit<ClaimLine, 'low' | 'high' | 'made'> & Record<string, unknown>;

interface Options {
  /** False: `ended` is 0, which saves a scan of all trials. */
  counts?: boolean;
}

/** Claims of a research, in order. */
export async function readClaimLines(
  db: Tx,
  { id, gate }: Pick<ResearchView, 'id' | 'gate'>,
  { counts = true }: Options = {},
): Promise<ClaimLine[]> {
  const { rows } = await db.execute<Row>(sql`
    with made as (select * from claims where research_id = ${id}),
    -- One scan counts the trials that ended between each claim and the next.
    between_claims as (
      select width_bucket(ended_at, (select array_agg(at order by seq) from made)) as before, count(*)::int as ended
      from trials
      where ${counts} and research_id = ${id} and status is not null and exists (select 1 from made) group by 1)
    select made.seq, made.of_trial as "ofTrial", made.candidate_id as "candidateId",
      made.value, made.sd, made.n, made.reason, made.by, made.at, trials.hypothesis,
      (select coalesce(sum(ended), 0)::int from between_claims where before < row_number) as ended
    from (select *, row_number() over (order by seq) from made) made
    left join trials on trials.research_id = made.research_id and trials.n = made.of_trial
    order by made.seq`);
  const outdated = await readOutdatedClaims(db, id);
  return rows.map((row) => {
    const isOutdated = outdated.has(claimKey(id, row.seq));
    return {
      ...row,
      reason: isOutdated ? `by an earlier metric: ${row.reason}` : row.reason,
      ...claimWithInterval(row, { gate, isPresent: row === rows.at(-1) && !isOutdated }),
      made: claimWithInterval(row, { gate, isPresent: false }),
      at: isoOf(row.at),
    };
  });
}
