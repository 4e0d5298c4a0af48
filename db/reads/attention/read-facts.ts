import { sql } from 'drizzle-orm';
import { budgetUseOf } from '../../../view/budget.ts';
import { NO_BEGINNINGS, type AttentionFacts } from '../../../view/attention/facts.ts';
import { hasEnded, phaseWith } from '../../../view/phase.ts';
import { standingOf } from '../../../view/standing.ts';
import type { Tx } from '../../connect.ts';
import { findTrust } from '../../trial/trust.ts';
import { isoOf } from '../page/iso.ts';
import type { ResearchView } from '../read-research.ts';
import { readContention } from '../status/read-contention.ts';
import { readFailedBaseline } from '../status/read-failed-baseline.ts';
import { readLosingStreak } from '../status/read-losing-streak.ts';
import { readQueue } from '../status/read-queue.ts';
import { readWait } from '../status/read-wait.ts';
import { readBeginnings } from './read-beginnings.ts';

interface Input {
  researches: readonly ResearchView[];
  fleetHosts: readonly string[];
  now: Date;
}

/** Facts of researches by which the rules of attention decide. */
export async function readFacts(db: Tx, { researches, fleetHosts, now }: Input): Promise<AttentionFacts[]> {
  const policies = await readPolicies(db, now);
  const all: AttentionFacts[] = [];
  for (const research of researches) {
    // An ended research needs only its row.
    const { wait, othersGetOn, ...troubles } = hasEnded(research.phase) ? NOTHING : await readTroubles(db, research);
    const { learning = null, gatesFired = [] } = policies.get(research.id) ?? {};
    const { id, task, endpointDown } = research;
    const { losingStreak, failedBaseline } = troubles;
    const facts = {
      id,
      task: task.name,
      endpointDown,
      ...phaseWith(research, { wait, othersGetOn }),
      ...troubles,
      wait,
      learning,
      gatesFired,
      budget: budgetUseOf(research),
      fleetHosts,
      since: NO_BEGINNINGS,
    };
    const since = await readBeginnings(db, { ...facts, losingStreak, failedBaseline, research });
    all.push({ ...facts, since });
  }
  return all;
}

const NOTHING = {
  losingStreak: null,
  failedBaseline: null,
  contention: null,
  queue: null,
  untrustedBest: null,
  evaluatorDown: null,
  wait: null,
  othersGetOn: false,
};

async function readTroubles(db: Tx, research: ResearchView) {
  const researchId = research.id;
  return {
    ...(await readWait(db, { researchId })),
    losingStreak: await readLosingStreak(db, { researchId }),
    failedBaseline: standingOf(research).baseline === null ? await readFailedBaseline(db, research) : null,
    contention: await readContention(db, { researchId }),
    queue: await readQueue(db, { researchId }),
    untrustedBest: await readUntrustedBest(db, research),
    evaluatorDown: await readEvaluatorDown(db, research),
  };
}

/**
 * First trial of the best candidate if the candidate could have written one of its scores itself; else null. With
 * `sandbox: none` the owner of the task chose that, and the start of the research said so.
 */
async function readUntrustedBest(db: Tx, research: ResearchView): Promise<string | null> {
  if (research.task.run.sandbox === 'none') return null;
  const { claim } = standingOf(research);
  if (!claim) return null;
  const { candidateId } = claim;
  const trust = await findTrust(db, { researchId: research.id, candidateIds: [candidateId] });
  if (trust.get(candidateId) !== false) return null;
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from trials
      where research_id = ${research.id} and candidate_id = ${candidateId} order by n limit 1`,
  );
  return rows[0]?.id ?? null;
}

/** The model that an evaluator waits for: the newest call of a run that has ended failed, and has no answer since. */
async function readEvaluatorDown(db: Tx, { id, task }: ResearchView): Promise<AttentionFacts['evaluatorDown']> {
  if (task.evaluator.type === 'none' || task.evaluator.llm === undefined) return null;
  const { rows } = await db.execute<{ trialId: string; model: string; why: string | null; at: string }>(sql`
    select trials.id as "trialId", call.model, call.error as why, run.ended_at as at
    from trials
    join lateral (
      select ended_at from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
    join lateral (
      select model, error, failed, answered_at from calls
      where calls.trial_id = trials.id and calls.role = 'evaluator' order by turn desc limit 1) call on true
    where trials.research_id = ${id} and trials.status is null and run.ended_at is not null
      and call.failed > 0 and call.answered_at is null
    order by run.ended_at, trials.n limit 1`);
  const [row] = rows;
  return row === undefined ? null : { ...row, at: isoOf(row.at) };
}

interface Policy {
  learning: { version: number; pinned: boolean; halted: string | null };
  gatesFired: AttentionFacts['gatesFired'];
}

/** Updates of a policy that are read: gates that fired long ago are history. */
const UPDATES = 20;

/** States of researches' policies, with the gates that fired in the last day. */
async function readPolicies(db: Tx, now: Date): Promise<Map<string, Policy>> {
  const { rows } = await db.execute<{
    id: string;
    version: number;
    pinned: boolean;
    halted: string | null;
    fired: AttentionFacts['gatesFired'];
  }>(sql`
    select p.research_id as id, p.in_force as version, p.pinned, p.halted, coalesce((
      select json_agg(
        json_build_object('k', u.k, 'at', u.ended_at, 'words', gate->>'words', 'then', gate->'gate'->>'then')
        order by u.k desc)
      from (select * from updates where updates.research_id = p.research_id order by k desc limit ${UPDATES}) u,
        jsonb_array_elements(u.fired) gate
      where u.ended_at > ${now.toISOString()}::timestamptz - interval '1 day'), '[]') as fired
    from policies p`);
  return new Map(
    rows.map(({ id, fired, ...learning }) => [
      id,
      { learning, gatesFired: fired.map(({ at, ...gate }) => ({ ...gate, at: isoOf(at) })) },
    ]),
  );
}
