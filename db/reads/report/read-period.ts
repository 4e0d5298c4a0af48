import { sql } from 'drizzle-orm';
import type { TrialStatus } from '../../../domain/trial.ts';
import { hasEnded } from '../../../view/phase.ts';
import { progressOf } from '../../../view/report/progress.ts';
import { stopsIn } from '../../../view/report/stops.ts';
import type { PeriodClaim, PeriodSpend, PeriodView } from '../../../view/report/period.ts';
import type { PhaseSpan } from '../../../view/page/research/phase-spans.ts';
import { standingOf } from '../../../view/standing.ts';
import type { Tx } from '../../connect.ts';
import { finite } from '../page/finite.ts';
import { claimKey, readOutdatedClaims } from '../page/outdated-claims.ts';
import { isTakenBack, readClaimLines, type ClaimLine } from '../page/research/read-claim-lines.ts';
import { readPhases } from '../page/research/read-phases.ts';
import { callsOf } from '../page/spend/calls-of.ts';
import type { ResearchView } from '../read-research.ts';
import { readSlotShare } from './read-slot-share.ts';

interface Period {
  research: ResearchView;
  from: Date;
  now: Date;
  /** True: the period is the whole research. */
  isWhole: boolean;
}

/** Figures of a research since a time, for the report and the dashboard's first panel. */
export async function readPeriod(db: Tx, period: Period): Promise<PeriodView> {
  const { research, from, now } = period;
  const spans = await readPhases(db, research);
  const lines = await readComparableLines(db, research);
  const begin = Math.max(from.getTime(), research.createdAt.getTime());
  return {
    since: from.toISOString(),
    ended: await readEnded(db, period),
    spend: await readSpend(db, period, spans),
    claims: claimsSince(lines, period),
    progress: progressOf(lines.filter(stands), {
      from,
      baseline: standingOf(research).baseline,
      direction: research.task.metric.direction,
    }),
    stops: stopsIn(spans, { from: new Date(begin), to: now }),
    slotShare: await readSlotShare(db, {
      pool: research.task.run.resources.pool,
      from: new Date(begin),
      to: endOf(research, spans, now),
    }),
  };
}

/** End of a research that has ended, else now. */
function endOf({ phase }: ResearchView, spans: readonly PhaseSpan[], now: Date): Date {
  const last = spans.at(-1);
  return hasEnded(phase) && last !== undefined ? new Date(last.from) : now;
}

async function readEnded(db: Tx, { research, from }: Period): Promise<PeriodView['ended']> {
  const { rows } = await db.execute<{ status: TrialStatus; count: number }>(sql`
    select status, count(*)::int as count from trials
    where research_id = ${research.id} and status is not null and ended_at >= ${from.toISOString()}::timestamptz
    group by status order by count desc, status`);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Seconds of trials that ended in the period, costs of calls that were sent in it, and hours under way. */
async function readSpend(
  db: Tx,
  { research, from, now, isWhole }: Period,
  spans: readonly PhaseSpan[],
): Promise<PeriodSpend> {
  const at = sql`${from.toISOString()}::timestamptz`;
  const ofPeriod = sql`${callsOf(research.id)} and sent_at >= ${at}`;
  const { rows } = await db.execute<Omit<PeriodSpend, 'hours'> & Record<string, unknown>>(sql`
    select
      (select coalesce(sum(${finite(sql`seconds`)}), 0)::float8 from trials
        where research_id = ${research.id} and status is not null and ended_at >= ${at}) as "slotSeconds",
      (select coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 from calls
        where ${ofPeriod}) as tokens,
      (select coalesce(sum(${finite(sql`usd`)}), 0)::float8 from calls where ${ofPeriod}) as usd,
      (select count(*)::int from calls where ${ofPeriod} and answered_at is not null and usd is null) as unpriced`);
  const { slotSeconds = 0, tokens = 0, usd = 0, unpriced = 0 } = rows[0] ?? {};
  if (isWhole) return { slotSeconds, tokens, usd, unpriced, hours: research.activeSeconds / 3600 };
  const hours = spans
    .filter(({ phase }) => !IDLE.includes(phase))
    .reduce((sum, span) => sum + overlapHours(span, { from, now }), 0);
  return { slotSeconds, tokens, usd, unpriced, hours };
}

/** Phases in which no time of the budget passes. */
const IDLE: readonly string[] = ['paused', 'stopped', 'failed'];

function overlapHours(
  { from: start, to }: { from: string; to: string | null },
  { from, now }: Pick<Period, 'from' | 'now'>,
) {
  const begin = Math.max(Date.parse(start), from.getTime());
  const end = Math.min(to === null ? now.getTime() : Date.parse(to), now.getTime());
  return Math.max(0, end - begin) / 3_600_000;
}

/** A claim; `isCurrent` is false under an earlier metric, whose values do not compare. */
type ComparableLine = ClaimLine & { isCurrent: boolean; isTakenBack: boolean };

const stands = (line: ComparableLine): boolean => !line.isTakenBack;

async function readComparableLines(db: Tx, research: ResearchView): Promise<ComparableLine[]> {
  const lines = await readClaimLines(db, research, null);
  const outdated = await readOutdatedClaims(db, research.id);
  return lines.map((line) => ({
    ...line,
    isCurrent: !outdated.has(claimKey(research.id, line.seq)),
    isTakenBack: isTakenBack(line, research.gate),
  }));
}

function claimsSince(lines: readonly ComparableLine[], { research, from }: Period): PeriodClaim[] {
  const sign = research.task.metric.direction === 'maximize' ? 1 : -1;
  return lines.flatMap((line, index) => {
    if (Date.parse(line.at) < from.getTime()) return [];
    const before = lines.slice(0, index).findLast(stands);
    const { seq, ofTrial, at, value, low, high, n, hypothesis, reason, by } = line;
    const gain = before?.isCurrent && line.isCurrent ? sign * (value - before.value) : null;
    return [{ seq, ofTrial, at, value, low, high, runs: n, gain, hypothesis, reason, by }];
  });
}
