import { sql } from 'drizzle-orm';
import { claimWithInterval, type WithInterval } from '../../../../view/page/research/interval.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { countEndedBefore } from '../blocks/count-trials.ts';
import type { TrialColumns } from '../blocks/trial-columns.ts';
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

type Row = Omit<ClaimLine, 'low' | 'high' | 'made' | 'ended'> & { seconds: number } & Record<string, unknown>;

const TAKEN_BACK = 'taken back by a person; it was made for this reason: ';

/** True for a claim whose candidate a person has discarded since. */
export const isTakenBack = ({ candidateId }: Pick<ClaimLine, 'candidateId'>, gate: ResearchView['gate']): boolean =>
  candidateId !== gate.incumbentId && gate.discardedByPerson?.includes(candidateId) === true;

type Research = Pick<ResearchView, 'id' | 'gate' | 'createdAt'>;

/** Claims of a research, in order. `columns`: its trials; null: `ended` is 0, which saves a read of all trials. */
export async function readClaimLines(
  db: Tx,
  { id, gate, createdAt }: Research,
  columns: TrialColumns | null,
): Promise<ClaimLine[]> {
  const { rows } = await db.execute<Row>(sql`
    select made.seq, made.of_trial as "ofTrial", made.candidate_id as "candidateId",
      made.value, made.sd, made.n, made.reason, made.by, made.at, trials.hypothesis,
      date_part('epoch', made.at - ${createdAt.toISOString()}::timestamptz) as seconds
    from (select * from claims where research_id = ${id}) made
    left join trials on trials.research_id = made.research_id and trials.n = made.of_trial
    order by made.seq`);
  const outdated = await readOutdatedClaims(db, id);
  return rows.map(({ seconds, ...row }, index) => {
    const isOutdated = outdated.has(claimKey(id, row.seq));
    return {
      ...row,
      reason: `${isOutdated ? 'by an earlier metric: ' : ''}${isTakenBack(row, gate) ? TAKEN_BACK : ''}${row.reason}`,
      ...claimWithInterval(row, { gate, isPresent: index === rows.length - 1 && !isOutdated }),
      made: claimWithInterval(row, { gate, isPresent: false }),
      at: isoOf(row.at),
      ended: columns === null ? 0 : countEndedBefore(columns, seconds),
    };
  });
}
