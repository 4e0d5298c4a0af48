import { sql } from 'drizzle-orm';
import type { Waiting } from '../../../view/phase.ts';
import type { Tx } from '../../connect.ts';
import { IS_PREPARING, IS_LOST } from './read-queue.ts';

const NOBODY_WAITS: Waiting = { wait: null, othersGetOn: false };

export const readWait = async (db: Tx, input: { researchId: string }): Promise<Waiting> =>
  (await readWaits(db, input)).get(input.researchId) ?? NOBODY_WAITS;

/** Waits of every research with trials under way, or of one research, in one query; by id. */
export async function readWaits(db: Tx, input: { researchId?: string } = {}): Promise<Map<string, Waiting>> {
  const named = input.researchId === undefined ? sql`` : sql`and trials.research_id = ${input.researchId}`;
  const found = await db.execute<{ id: string; trials: number; why: string | null; others: boolean }>(sql`
    with open as (
      select trials.research_id as id, trials.n, run.trial_id is not null and not ${IS_LOST} as gets_on,
        -- A launch that was suspended may store a wait after another one has launched the run.
        case when (run.launched_at is null or ${IS_LOST})
          and (${IS_PREPARING} or exists (
            select 1 from slots where slots.trial_id = trials.id and slots.state = 'leased'))
          then trials.waits_for end as why
      from trials
      left join lateral (
        select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
      where trials.status is null ${named})
    select id, count(why)::int as trials, (array_agg(why order by n) filter (where why is not null))[1] as why,
      coalesce(bool_or(gets_on and why is null), false) as others from open group by id`);
  return new Map(
    found.rows.map(({ id, trials, why, others }) => [
      id,
      { wait: why === null ? null : { trials, why }, othersGetOn: others },
    ]),
  );
}
