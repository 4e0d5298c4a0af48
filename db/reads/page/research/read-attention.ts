import { sql } from 'drizzle-orm';
import { budgetUseOf } from '../../../../view/budget.ts';
import {
  attentionOf,
  loudestFirst,
  type Attention,
  type AttentionFacts,
} from '../../../../view/page/research/attention.ts';
import { hostAttention } from '../../../../view/page/research/host-attention.ts';
import { hasEnded, phaseWith } from '../../../../view/phase.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import { findTrust } from '../../../trial/trust.ts';
import { readFleetStatus } from '../../fleet/read-fleet.ts';
import type { ResearchView } from '../../read-research.ts';
import { readAlerts } from '../../status/read-alerts.ts';
import { readContention } from '../../status/read-contention.ts';
import { readFailedBaseline } from '../../status/read-failed-baseline.ts';
import { readLosingStreak } from '../../status/read-losing-streak.ts';
import { readQueue } from '../../status/read-queue.ts';
import { readWait } from '../../status/read-wait.ts';
import { isoOf } from '../iso.ts';

interface Input {
  researches: readonly ResearchView[];
  /** Pool whose hosts are included; absent: all pools. */
  pool?: string;
  now: Date;
}

/** Alerts of a research that are read. */
const ALERTS = 20;

/** Items of these researches and of the hosts that need a person, loudest first. */
export async function readAttention(db: Tx, { researches, pool, now }: Input): Promise<Attention[]> {
  const items: Attention[] = [];
  for (const host of await readFleetStatus(db)) {
    const item = pool === undefined || host.pool === pool ? hostAttention(host, now) : null;
    if (item) items.push(item);
  }
  const policies = await readPolicies(db, now);
  for (const research of researches) {
    // An ended research needs only its row.
    const facts = hasEnded(research.phase) ? NOTHING : await readFacts(db, research);
    const { learning = null, gatesFired = [] } = policies.get(research.id) ?? {};
    const { id, task, endpointDown, updatedAt } = research;
    const { wait, othersGetOn, ...rest } = facts;
    const phased = phaseWith(research, { wait, othersGetOn });
    items.push(
      ...attentionOf(
        {
          id,
          task: task.name,
          endpointDown,
          ...phased,
          ...rest,
          wait,
          learning,
          gatesFired,
          budget: budgetUseOf(research),
          updatedAt: updatedAt.toISOString(),
        },
        now,
      ),
    );
  }
  return loudestFirst(items);
}

const NOTHING = {
  losingStreak: null,
  failedBaseline: null,
  contention: null,
  alerts: [],
  queue: null,
  untrustedBest: null,
  wait: null,
  othersGetOn: false,
};

async function readFacts(db: Tx, research: ResearchView) {
  const researchId = research.id;
  return {
    ...(await readWait(db, { researchId })),
    losingStreak: await readLosingStreak(db, { researchId }),
    failedBaseline: standingOf(research).baseline === null ? await readFailedBaseline(db, research) : null,
    contention: await readContention(db, { researchId }),
    alerts: await readAlerts(db, { researchId, limit: ALERTS }),
    queue: await readQueue(db, { researchId }),
    untrustedBest: await readUntrustedBest(db, research),
  };
}

/** First trial of the best candidate if the candidate could have written one of its scores itself; else null. */
async function readUntrustedBest(db: Tx, research: ResearchView): Promise<string | null> {
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
