import { sql } from 'drizzle-orm';
import { bestByLuck } from '../../../domain/report/best-by-luck.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import type { TrialStatus } from '../../../domain/trial.ts';
import { firstLimitReached } from '../../../view/page/spend/forecast-limits.ts';
import type { ReportedClaim, ResearchReport } from '../../../view/report/report.ts';
import type { Tx } from '../../connect.ts';
import { readDiff } from '../diff/read-diff.ts';
import { unifiedDiff } from '../diff/unified-diff.ts';
import { callsOf } from '../page/spend/calls-of.ts';
import { finite } from '../page/finite.ts';
import { readAttention } from '../attention/read-attention.ts';
import { readClaimLines } from '../page/research/read-claim-lines.ts';
import { readNext } from '../page/research/read-next.ts';
import { readBudgets } from '../page/spend/read-budgets.ts';
import { claimKey, readOutdatedClaims } from '../page/outdated-claims.ts';
import { isComparable } from '../../trial/comparable.ts';
import { readPhases } from '../page/research/read-phases.ts';
import type { ResearchView } from '../read-research.ts';
import { readStatus } from '../read-status.ts';
import { readTrial } from '../read-trial.ts';
import { readCalibration } from './read-calibration.ts';
import { readFailures } from './read-failures.ts';
import { readUnclaimed } from './read-unclaimed.ts';

/** Longest diff of a claim, in characters. `perpetua diff` prints the whole. */
const LONGEST_DIFF = 20_000;

interface Input {
  research: ResearchView;
  /** Begin of the period; absent: the start of the research. */
  since?: Date | undefined;
  now: Date;
}

/** The report of a research. Its numbers are consistent if `db` is a repeatable read. */
export async function readReport(db: Tx, { research, since, now }: Input): Promise<ResearchReport> {
  const { id, createdAt, task } = research;
  const from = since ?? createdAt;
  const status = await readStatus(db, { research });
  const budgets = await readBudgets(db, { researches: [research], now });
  const forecast = firstLimitReached(budgets);
  const period = { research, from, now, isWhole: since === undefined };
  const candidates = await countScored(db, research);
  const sd = status.baseline?.sd ?? null;
  return {
    id,
    since: from.toISOString(),
    status,
    ended: await readEnded(db, period),
    spend: await readSpend(db, period),
    claims: await readClaimsSince(db, period),
    unclaimed: await readUnclaimed(db, { research, best: status.best?.value ?? null }),
    failures: await readFailures(db, period),
    luck: { candidates, margin: sd === null ? null : sd * bestByLuck(candidates) },
    arms: status.arms,
    calibration: await readCalibration(db, research),
    forecast,
    next: await readNext(db, { status, end: forecast }),
    needsYou: (await readAttention(db, { researches: [research], pool: task.run.resources.pool, now })).attention,
  };
}

interface Period {
  research: ResearchView;
  from: Date;
  now: Date;
  /** True: the period is the whole research. */
  isWhole: boolean;
}

async function readEnded(db: Tx, { research, from }: Period): Promise<ResearchReport['ended']> {
  const { rows } = await db.execute<{ status: TrialStatus; count: number }>(sql`
    select status, count(*)::int as count from trials
    where research_id = ${research.id} and status is not null and ended_at >= ${from.toISOString()}::timestamptz
    group by status order by count desc, status`);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Seconds of trials that ended in the period, costs of calls that were sent in it, and hours under way. */
async function readSpend(db: Tx, { research, from, now, isWhole }: Period): Promise<ResearchReport['spend']> {
  const at = sql`${from.toISOString()}::timestamptz`;
  const ofPeriod = sql`${callsOf(research.id)} and sent_at >= ${at}`;
  const { rows } = await db.execute<Omit<ResearchReport['spend'], 'hours'> & Record<string, unknown>>(sql`
    select
      (select coalesce(sum(${finite(sql`seconds`)}), 0)::float8 from trials
        where research_id = ${research.id} and ended_at >= ${at}) as "slotSeconds",
      (select coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 from calls
        where ${ofPeriod}) as tokens,
      (select coalesce(sum(${finite(sql`usd`)}), 0)::float8 from calls where ${ofPeriod}) as usd,
      (select count(*)::int from calls where ${ofPeriod} and answered_at is not null and usd is null) as unpriced`);
  const { slotSeconds = 0, tokens = 0, usd = 0, unpriced = 0 } = rows[0] ?? {};
  if (isWhole) return { slotSeconds, tokens, usd, unpriced, hours: research.activeSeconds / 3600 };
  const spans = await readPhases(db, research);
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

async function readClaimsSince(db: Tx, { research, from }: Period): Promise<ReportedClaim[]> {
  const lines = await readClaimLines(db, research);
  const outdated = await readOutdatedClaims(db, research.id);
  const isCurrent = (line: { seq: number } | undefined): boolean =>
    line !== undefined && !outdated.has(claimKey(research.id, line.seq));
  const { direction } = research.task.metric;
  const sign = direction === 'maximize' ? 1 : -1;
  const claims: ReportedClaim[] = [];
  for (const [index, line] of lines.entries()) {
    if (Date.parse(line.at) < from.getTime()) continue;
    const before = lines[index - 1];
    const { seq, ofTrial, at, value, low, high, n, hypothesis, reason, by } = line;
    // Values of another metric do not compare.
    const gain = before !== undefined && isCurrent(before) && isCurrent(line) ? sign * (value - before.value) : null;
    const diff = ofTrial === null ? '' : await readClaimDiff(db, research, ofTrial);
    claims.push({ seq, ofTrial, at, value, low, high, runs: n, gain, hypothesis, reason, by, diff });
  }
  return claims;
}

async function readClaimDiff(db: Tx, research: ResearchView, n: number): Promise<string> {
  const found = await readTrial(db, { trialId: trialIdOf(research.id, n) });
  if (!found) return '';
  const { files } = await readDiff(db, { trial: found.trial, research, against: 'baseline' });
  const diff = unifiedDiff(files);
  return diff.length <= LONGEST_DIFF ? diff : `${diff.slice(0, LONGEST_DIFF)}\n… cut here\n`;
}

/** Number of searched candidates with a score, which the best was selected from. */
async function countScored(db: Tx, { id, taskHash }: ResearchView): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(distinct candidate_id)::int as count from trials
    where research_id = ${id} and kind in ('search', 'injected') and status = 'completed' and reused_from is null
      and ${isComparable(taskHash)}`);
  return rows[0]?.count ?? 0;
}
