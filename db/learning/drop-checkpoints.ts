import { sql, type SQL } from 'drizzle-orm';
import type { Db, Tx } from '../connect.ts';
import { isNeededAsBase } from './policy-bases.ts';
import { markWeightsRemoved } from './weights.ts';

interface Input {
  /** Names of existing folders. */
  stepKeys: readonly string[];
  olderThanSeconds: number;
}

/**
 * Returns folders of checkpoints that nothing needs, and marks their weights as removed under their researches' locks.
 * Unneeded are folders of versions whose weights were removed, of updates without a version, and of no known update. If
 * a research ended more than `olderThanSeconds` ago, so are all but the version in force and versions that a person
 * named. Weights with which another research began stay as long as it needs them.
 */
export function dropCheckpoints(db: Db, input: Input): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select id from researches where id in (
      select research_id from updates where ${isAmong(input)}) order by id for no key update`);
    const found = await select(tx, input);
    for (const { researchId, k } of found)
      if (researchId !== null && k !== null) await markWeightsRemoved(tx, { researchId, ks: [k] });
    return found.map(({ stepKey }) => stepKey);
  });
}

/** Folders that {@link dropCheckpoints} would return. */
export const findDroppable = async (db: Tx, input: Input): Promise<string[]> =>
  (await select(db, input)).map(({ stepKey }) => stepKey);

const isAmong = ({ stepKeys }: Pick<Input, 'stepKeys'>) =>
  sql`step_key in (select jsonb_array_elements_text(${JSON.stringify(stepKeys)}::jsonb))`;

/** A folder; with the version if its research could still use it. */
interface Droppable extends Record<string, unknown> {
  stepKey: string;
  researchId: string | null;
  k: number | null;
}

async function select(db: Tx, input: Input): Promise<Droppable[]> {
  const ago = sql`now() - make_interval(secs => ${input.olderThanSeconds}::float8)`;
  const isNeeded = (stepKey: SQL): SQL => isNeededAsBase(stepKey, { endedSeconds: input.olderThanSeconds });
  const { rows } = await db.execute<Droppable>(sql`
    with known as (select * from updates where ${isAmong(input)})
    select step_key as "stepKey", null as "researchId", null::int as k from known
      where removed_at is not null or (checkpoint is null and state <> 'due' and ended_at < ${ago})
    union all
    -- If none of the folders is in the database, they belong to another database.
    select name, null, null from jsonb_array_elements_text(${JSON.stringify(input.stepKeys)}::jsonb) name
      where name not in (select step_key from known) and not ${isNeeded(sql`name`)}
        and exists (select 1 from known union all select 1 from policy_bases where ${isAmong(input)})
    union all
    select u.step_key, u.research_id, u.k from known u join researches r on r.id = u.research_id
      left join policies p on p.research_id = u.research_id
      where u.removed_at is null and u.checkpoint is not null and not u.held and u.k <> coalesce(p.in_force, 0)
        and r.phase in ('stopped', 'failed') and r.updated_at < ${ago}
        and u.k <> coalesce((select version from rollout_groups g where g.research_id = u.research_id
          order by g.g desc limit 1), 0)
        and not ${isNeeded(sql`u.step_key`)} and not exists (
          select 1 from updates d where d.research_id = u.research_id and d.state = 'due' and d.parent = u.k)
    order by 1`);
  return rows;
}
