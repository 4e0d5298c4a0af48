import { sql } from 'drizzle-orm';
import type { Contention } from '../../../view/contention.ts';
import type { Tx } from '../../connect.ts';

/** Contended runs of a research in the last hour; null if there are none. */
export async function readContention(db: Tx, input: { researchId: string }): Promise<Contention | null> {
  const { rows } = await db.execute<{ runs: number; trialId: string; host: string; words: string }>(sql`
    select (count(*) over ())::int as runs, trials.id as "trialId", host, contention as words
    from runs join trials on trials.id = runs.trial_id
    where research_id = ${input.researchId} and contention is not null
      and runs.ended_at > now() - interval '1 hour'
    order by runs.ended_at desc, trials.n desc limit 1`);
  const [row] = rows;
  if (row === undefined) return null;
  const { runs, ...newest } = row;
  return { runs, newest };
}
