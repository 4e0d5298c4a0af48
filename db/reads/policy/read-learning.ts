import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/json/number.ts';
import type { LearningView } from '../../../view/policy/learning.ts';
import type { UpdatePlan } from '../../../domain/learning/plan.ts';
import type { Tx } from '../../connect.ts';

/** Batches whose mean rewards are shown. */
const BATCHES = 5;

interface Input {
  researchId: string;
  /** Plan by which it learns; null if it does not learn. */
  plan: Pick<UpdatePlan, 'batch'> | null;
}

/** State of a research's learning; null if it samples no policy. */
export async function readLearning(db: Tx, { researchId, plan }: Input): Promise<LearningView | null> {
  const policy = await readPolicy(db, researchId);
  if (policy === null && plan === null) return null;
  return {
    ...(policy ?? { version: 0, checkpoint: null, pinned: false, halted: null }),
    update: await readDue(db, researchId),
    batch: plan && { ...(await readOpenBatch(db, researchId)), of: plan.batch },
    evaluationSamples: await readEvaluationSamples(db, researchId),
    rewards: await readRewards(db, researchId),
  };
}

type Policy = Pick<LearningView, 'version' | 'checkpoint' | 'pinned' | 'halted'>;

async function readPolicy(db: Tx, researchId: string): Promise<Policy | null> {
  const { rows } = await db.execute<Policy & Record<string, unknown>>(sql`
    select p.in_force as version, u.checkpoint, p.pinned, p.halted
    from policies p left join updates u on u.research_id = p.research_id and u.k = p.in_force
    where p.research_id = ${researchId}`);
  return rows[0] ?? null;
}

async function readDue(db: Tx, researchId: string): Promise<LearningView['update']> {
  const { rows } = await db.execute<{ k: number; due: Date; begun: Date | null }>(sql`
    select k, due_at as due, begun_at as begun from updates
    where research_id = ${researchId} and state = 'due' order by k limit 1`);
  const [row] = rows;
  if (!row) return null;
  return {
    k: row.k,
    dueAt: new Date(row.due).toISOString(),
    begunAt: row.begun === null ? null : new Date(row.begun).toISOString(),
  };
}

/** First batch that has samples and no update; if no batch has, the one after the last update. */
async function readOpenBatch(db: Tx, researchId: string): Promise<{ k: number; joined: number; ended: number }> {
  const { rows } = await db.execute<{ k: number; joined: number; ended: number }>(sql`
    with filling as (
      select r.k, count(*)::int as joined, count(t.status)::int as ended
      from rollouts r join trials t on t.id = r.trial_id
      where r.research_id = ${researchId}
        and not exists (select 1 from updates u where u.research_id = r.research_id and u.k = r.k)
      group by r.k)
    select * from filling
    union all select coalesce((select max(k) from updates where research_id = ${researchId}), 0) + 1, 0, 0
    where not exists (select 1 from filling)
    order by k limit 1`);
  return rows[0] ?? { k: 1, joined: 0, ended: 0 };
}

async function readEvaluationSamples(db: Tx, researchId: string): Promise<LearningView['evaluationSamples']> {
  const { rows } = await db.execute<{ ended: number; of: number }>(sql`
    select count(t.status)::int as ended, count(*)::int as of
    from wanted_runs w left join trials t on t.research_id = w.research_id and t.n = w.n
    where w.research_id = ${researchId} and w.kind = 'evaluation'`);
  const [row] = rows;
  return row === undefined || row.of === 0 ? null : row;
}

/** Mean rewards of the last batches, from the stored rewards of their trials. */
async function readRewards(db: Tx, researchId: string): Promise<LearningView['rewards']> {
  const { rows } = await db.execute<{ k: number; mean: number | null; samples: number }>(sql`
    with last as (select k, batch from updates where research_id = ${researchId} order by k desc limit ${BATCHES})
    select last.k, jsonb_array_length(last.batch) as samples,
      (select avg(reward) from trials where id in (select jsonb_array_elements_text(last.batch))) as mean
    from last order by last.k`);
  return rows.map(({ k, mean, samples }) => ({ k, mean: finiteOrNull(mean), samples }));
}
