import { sql } from 'drizzle-orm';
import type { LastCall } from '../../domain/agent/outage.ts';
import type { Protocol } from '../../domain/gateway/call.ts';
import type { Tx } from '../connect.ts';
import { isWhole } from './gateway/served.ts';
import type { Trial } from '../trial/proposal.ts';
import { decompress } from './gateway/compress.ts';

/** Latest answers that are read. The last one may be of a side call, such as the request of a title. */
const LATEST = 5;

/** Most bytes of an answer that is read; a longer one counts as empty. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

/** The answered calls of a trial's agent. */
export interface AnsweredCalls {
  count: number;
  /** The latest answers, the last one first. */
  latest: { protocol: Protocol; body: string }[];
}

/** Reads how many calls of an agent were answered, and its latest answers. Those of a replaced arm do not count. */
export async function readAnswered(db: Tx, { id, firstTurn }: Pick<Trial, 'id' | 'firstTurn'>): Promise<AnsweredCalls> {
  const { rows } = await db.execute<{ protocol: Protocol; body: Buffer | null; count: number }>(sql`
    select calls.protocol, parts.body, (count(*) over ())::int as count
    from calls left join call_parts parts
      on parts.trial_id = calls.trial_id and parts.role = calls.role and parts.n = -1 - calls.turn
    where calls.trial_id = ${id} and calls.role = 'proposer' and calls.protocol is not null
      and calls.turn >= ${firstTurn} and calls.answered_at is not null
    order by calls.turn desc limit ${LATEST}`);
  const latest = rows.flatMap(({ protocol, body }) => (body === null ? [] : [{ protocol, body }]));
  return {
    count: rows[0]?.count ?? 0,
    latest: await Promise.all(
      latest.map(async ({ protocol, body }) => ({ protocol, body: (await decompress(body, MOST_ANSWER_BYTES)) ?? '' })),
    ),
  };
}

/** Model that the job of an agent asks for. */
const ASKED_MODEL = sql.raw(`jobs.spec -> 'agent' ->> 'model'`);

/** The last call of the agent in a placement of its job; null if it made none there. */
export async function findLastCall(
  db: Tx,
  { trialId, jobId, placement }: { trialId: string; jobId: string; placement: number },
): Promise<LastCall | null> {
  const { rows } = await db.execute<LastCall & Record<string, unknown>>(sql`
    select error, status, coalesce(model = (select ${ASKED_MODEL} from jobs where id = ${jobId}), false)
      as "isOfAskedModel"
    from calls
    where trial_id = ${trialId} and role = 'proposer' and protocol is not null
      and sent_at > coalesce((
        select max(ended_at) from runs where runs.trial_id = ${jobId} and runs.placement < ${placement}), '-infinity')
    order by sent_at desc limit 1`);
  return rows[0] ?? null;
}

/**
 * Counts the runs of an agent's job, up to a placement, during which the endpoint served: a call of any trial of the
 * research had a whole answer by the model that the job asks for. A run's time begins at the end of the one before it.
 */
export async function countServedRuns(
  db: Tx,
  { researchId, jobId, placement }: { researchId: string; jobId: string; placement: number },
): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    with past as (
      select lag(runs.ended_at, 1, jobs.opened_at) over (order by placement) as after, runs.ended_at as until,
        ${ASKED_MODEL} as model
      from runs join jobs on jobs.id = runs.trial_id
      where jobs.id = ${jobId} and placement <= ${placement} and runs."end" is not null and runs.ended_at is not null)
    select count(*)::int as count from past
    where exists (
      select 1 from calls join trials on trials.id = calls.trial_id
      where trials.research_id = ${researchId} and calls.sent_at > past.after and calls.answered_at <= past.until
        and calls.model = past.model and ${isWhole})`);
  return rows[0]?.count ?? 0;
}
