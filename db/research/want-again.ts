import { sql } from 'drizzle-orm';
import type { FailureLabel } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import type { Trial } from '../trial/proposal.ts';
import { insertAlert } from './research.ts';

/** After this many losses a person has to look. */
const MOST_LOST = 3;
const MACHINES_FAULT: readonly (FailureLabel | null)[] = ['machine-lost', 'contended', 'infrastructure'];

/**
 * A person's proposal that a machine lost is wanted again, a bounded number of times: nobody else would make it. The last
 * loss is its outcome, and said.
 */
export async function wantAgain(tx: Tx, { researchId, n, kind, status, failure }: Trial): Promise<void> {
  if (kind !== 'injected' || status !== 'lost' || !MACHINES_FAULT.includes(failure)) return;
  const { rowCount } = await tx.execute(sql`
    insert into wanted_runs (research_id, kind, candidate_id, proposal)
    select research_id, kind, candidate_id, proposal from wanted_runs want where research_id = ${researchId} and n = ${n}
      and (select count(*) from wanted_runs before where before.research_id = ${researchId} and before.kind = 'injected'
        and before.proposal ->> 'key' = want.proposal ->> 'key') < ${MOST_LOST}`);
  if (rowCount === 0)
    await insertAlert(tx, {
      researchId,
      message: `injected proposal not run again: trial ${n} is its loss no. ${MOST_LOST} (${failure}); mend the machine and inject it again`,
    });
}
