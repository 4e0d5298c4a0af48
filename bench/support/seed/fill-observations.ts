import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';
import { inSearch } from '../../../db/trial/in-search.ts';

/** Stores the observations of a seeded research's candidates, as the outcomes of its trials would have. */
export async function fillObservations(db: Db, researchId: string): Promise<void> {
  const scored = sql`status = 'completed' and value between '-1e150' and '1e150'`;
  await db.execute(sql`
    insert into observations (research_id, task_hash, candidate_id, seq, value, runs, outcome, seconds, usd)
    select research_id, task_hash, candidate_id, row_number() over (order by min(ended_at), min(n)),
      avg(value) filter (where ${scored}), count(*) filter (where ${scored}),
      (array_agg(status order by n desc))[1], coalesce(sum(seconds) filter (where seconds < 1e100), 0), 0
    from trials
    where research_id = ${researchId} and candidate_id is not null and status is not null and ${inSearch(sql`kind`)}
    group by research_id, task_hash, candidate_id
    on conflict do nothing`);
}
