import { sql } from 'drizzle-orm';
import { howMany } from '../../domain/how-many.ts';
import type { Tx } from '../connect.ts';
import { LOST_RUN } from './read-queue.ts';

/** Trials of a research that hold a slot and cannot begin there. */
export interface Wait {
  trials: number;
  /** What the oldest of them waits for, in words. */
  why: string;
}

/** `2 trials wait for room on box: disk: …` */
export const describeWait = ({ trials, why }: Wait): string =>
  `${howMany(trials, 'trial')} ${trials === 1 ? 'waits' : 'wait'} for ${why}`;

/** What trials wait for on the slots that they hold, null where none waits; and whether another one gets on meanwhile. */
export async function readWait(
  db: Tx,
  input: { researchId: string },
): Promise<{ wait: Wait | null; othersGetOn: boolean }> {
  const found = await db.execute<{ trials: number; why: string | null; others: boolean }>(sql`
    with open as (
      select trials.n, run.trial_id is not null and not ${LOST_RUN} as gets_on,
        -- A launch that slept may note it after another has launched the run.
        case when (run.launched_at is null or ${LOST_RUN})
          and exists (select 1 from slots where slots.trial_id = trials.id and slots.state = 'leased') then trials.waits_for end as why
      from trials
      left join lateral (
        select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
      where trials.research_id = ${input.researchId} and trials.status is null)
    select count(why)::int as trials, (array_agg(why order by n) filter (where why is not null))[1] as why,
      coalesce(bool_or(gets_on and why is null), false) as others from open`);
  const { trials = 0, why = null, others = false } = found.rows[0] ?? {};
  return { wait: why === null ? null : { trials, why }, othersGetOn: others };
}
