import { sql } from 'drizzle-orm';
import { FAULTS, type Fault } from '../../../domain/report/failure-fault.ts';
import { FAILED_STATUSES, type FailureLabel } from '../../../domain/trial.ts';
import { NO_BEGINNINGS, type AttentionFacts, type Beginnings } from '../../../view/attention/facts.ts';
import { kindOfReason } from '../../../view/attention/waits.ts';
import { hasEnded } from '../../../view/phase.ts';
import { spentLimits } from '../../../view/rows/raise-budget.ts';
import type { Tx } from '../../connect.ts';
import { isoOf } from '../page/iso.ts';
import { NO_FAILURES } from '../status/read-losing-streak.ts';

interface Input extends Pick<
  AttentionFacts,
  'id' | 'phase' | 'reason' | 'endpointDown' | 'budget' | 'losingStreak' | 'failedBaseline'
> {
  research: { baselineCandidate: string };
}

/** Phases in which a research may need a person. */
const STANDING_STILL: readonly AttentionFacts['phase'][] = ['waiting', 'paused', 'failed'];

/** Beginnings of the conditions that a research has. A condition that it does not have costs no query. */
export async function readBeginnings(db: Tx, facts: Input): Promise<Beginnings> {
  const { id, phase, endpointDown, budget, losingStreak, failedBaseline, research } = facts;
  const since = { ...NO_BEGINNINGS };
  if (STANDING_STILL.includes(phase)) since.phase = await readPhaseBegin(db, facts);
  if (hasEnded(phase)) return since;
  if (endpointDown !== null) since.endpointDown = await readOutageBegin(db, id);
  const spent = spentLimits(budget);
  if (spent.length > 0) since.spent = await readSpentBegin(db, id, spent);
  if (losingStreak !== null) since.losing = await readStreakBegin(db, id);
  if (failedBaseline !== null) since.failedBaseline = await readBaselineBegin(db, id, research);
  return since;
}

/** Changes of phase that are read: those within one wait differ by numbers in their reason. */
const MOST_CHANGES = 50;

async function readPhaseBegin(db: Tx, { id, phase, reason }: Input): Promise<string | null> {
  const { rows } = await db.execute<{ at: string; phase: string | null; reason: string | null }>(sql`
    select at, data->>'phase' as phase, data->>'reason' as reason from events
    where research_id = ${id} and kind = 'phase'
    order by events.xid desc, events.id desc limit ${MOST_CHANGES}`);
  const isSame = (row: (typeof rows)[number]): boolean =>
    row.phase === phase && kindOfReason(row.reason) === kindOfReason(reason);
  const other = rows.findIndex((row) => !isSame(row));
  const first = (other === -1 ? rows : rows.slice(0, other)).at(-1);
  return first === undefined ? null : isoOf(first.at);
}

/** Begin of the outage: an outage has one event, and then no other before it is over. */
async function readOutageBegin(db: Tx, id: string): Promise<string | null> {
  const { rows } = await db.execute<{ at: string }>(sql`
    select at from events where research_id = ${id} and kind = 'endpoint-down'
    order by events.xid desc, events.id desc limit 1`);
  return rows[0] ? isoOf(rows[0].at) : null;
}

async function readSpentBegin(db: Tx, id: string, limits: readonly string[]): Promise<string | null> {
  const { rows } = await db.execute<{ at: string | null }>(sql`
    select min(at) as at from (
      select max(at) as at from events
      where research_id = ${id} and kind = 'budget-share' and (data->>'share')::int = 100
        and data->>'limit' = any(${sql.param([...limits])}::text[])
      group by data->>'limit') reached`);
  return rows[0]?.at ? isoOf(rows[0].at) : null;
}

interface Failures extends Record<string, unknown> {
  at: string | null;
  failure: FailureLabel | null;
}

const failuresFrom = ({ at, failure }: Failures): { at: string | null; fault: Fault } => ({
  at: at === null ? null : isoOf(at),
  fault: failure === null ? 'candidate' : FAULTS[failure],
});

const FAILED = sql.param([...FAILED_STATUSES]);

async function readStreakBegin(db: Tx, id: string): Promise<Beginnings['losing']> {
  const { rows } = await db.execute<Failures>(sql`
    with last as (
      select ended_at, n from trials
      where research_id = ${id} and status is not null and status <> all(${FAILED}::text[])
      order by ended_at desc, n desc limit 1)
    select min(ended_at) as at, mode() within group (order by failure) as failure from trials
    where research_id = ${id} and status is not null
      and (failure is null or failure <> all(${sql.param([...NO_FAILURES])}::text[]))
      and (ended_at, n) > (coalesce((select ended_at from last), '-infinity'), coalesce((select n from last), 0))`);
  return rows[0] ? failuresFrom(rows[0]) : null;
}

async function readBaselineBegin(
  db: Tx,
  id: string,
  { baselineCandidate }: Input['research'],
): Promise<Beginnings['failedBaseline']> {
  const { rows } = await db.execute<Failures>(sql`
    select min(ended_at) as at, mode() within group (order by failure) as failure from trials
    where research_id = ${id} and kind = 'baseline' and candidate_id = ${baselineCandidate}
      and status = any(${FAILED}::text[])`);
  return rows[0] ? failuresFrom(rows[0]) : null;
}
