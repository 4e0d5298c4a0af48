import { sql } from 'drizzle-orm';
import { TRIAL_STATUSES, VERDICTS, type TrialStatus, type Verdict } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';

export interface Counts {
  /** Trials with a number: ended and under way. */
  started: number;
  ended: number;
  running: number;
  /** Of the ended ones; every status is there. */
  byStatus: Record<TrialStatus, number>;
  /** Of the ended ones; every verdict is there. */
  verdicts: Record<Verdict, number>;
}

const zeros = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** How many trials a research has, by status and by verdict. */
export async function readCounts(db: Tx, input: { researchId: string }): Promise<Counts> {
  const found = await db.execute<{ status: TrialStatus | null; verdict: Verdict | null; n: number }>(sql`
    select status, verdict, count(*)::int as n from trials where research_id = ${input.researchId} group by status, verdict`);
  const counts: Counts = {
    started: 0,
    ended: 0,
    running: 0,
    byStatus: zeros(TRIAL_STATUSES),
    verdicts: zeros(VERDICTS),
  };
  for (const { status, verdict, n } of found.rows) {
    counts.started += n;
    if (status === null) counts.running += n;
    else {
      counts.ended += n;
      counts.byStatus[status] += n;
      counts.verdicts[verdict ?? 'none'] += n;
    }
  }
  return counts;
}
