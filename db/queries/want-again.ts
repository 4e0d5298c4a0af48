import { sql } from 'drizzle-orm';
import type { FailureLabel } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import type { Trial } from './proposal.ts';

/** After this many losses in a row a person has to look. */
const MOST_LOST = 3;
const MACHINES_FAULT: readonly (FailureLabel | null)[] = ['machine-lost', 'contended', 'infrastructure'];

/** A person's proposal that a machine lost is wanted again, a bounded number of times: nobody else would make it. */
export async function wantAgain(tx: Tx, { researchId, n, kind, status, failure, candidateId }: Trial): Promise<void> {
  if (kind !== 'injected' || status !== 'lost' || !MACHINES_FAULT.includes(failure)) return;
  await tx.execute(sql`
    insert into wanted_runs (research_id, kind, candidate_id, proposal)
    select research_id, kind, candidate_id, proposal from wanted_runs where research_id = ${researchId} and n = ${n}
      and (select count(*) from trials lost where lost.research_id = ${researchId} and lost.kind = 'injected'
        and lost.candidate_id = ${candidateId} and lost.status = 'lost') < ${MOST_LOST}`);
}
