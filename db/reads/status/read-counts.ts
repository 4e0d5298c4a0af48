import { sql } from 'drizzle-orm';
import {
  SHOWN_VERDICTS,
  TRIAL_STATUSES,
  type FailureLabel,
  type ShownVerdict,
  type TrialStatus,
} from '../../../domain/trial.ts';
import type { TrialCounts } from '../../../view/trials.ts';
import type { Tx } from '../../connect.ts';
import { shownVerdict } from '../../trial/shown-verdict.ts';

const BY_PERSON: FailureLabel = 'stopped-by-operator';

/** A row for each existing pair of status and verdict. */
type Row = { status: TrialStatus | null; verdict: ShownVerdict | null; n: number; cancelled: number; reused: number };

const zeros = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** Numbers of a research's trials, by status and by verdict. */
export async function readCounts(db: Tx, input: { researchId: string }): Promise<TrialCounts> {
  const found = await db.execute<Row>(sql`
    select status, ${shownVerdict(input.researchId)} as verdict, count(*)::int as n,
      count(*) filter (where status = 'aborted' and failure = ${BY_PERSON})::int as cancelled,
      count(*) filter (where reused_from is not null)::int as reused
    from trials where research_id = ${input.researchId} group by 1, 2`);
  const counts: TrialCounts = {
    started: 0,
    ended: 0,
    running: 0,
    byStatus: zeros(TRIAL_STATUSES),
    cancelled: 0,
    verdicts: zeros(SHOWN_VERDICTS),
  };
  for (const { status, verdict, n, cancelled, reused } of found.rows) {
    if (reused > 0) counts.reused = (counts.reused ?? 0) + reused;
    counts.cancelled += cancelled;
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
