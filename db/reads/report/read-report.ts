import { sql } from 'drizzle-orm';
import { bestByLuck } from '../../../domain/report/best-by-luck.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { firstLimitReached } from '../../../view/page/spend/forecast-limits.ts';
import type { PeriodClaim } from '../../../view/report/period.ts';
import type { ReportedClaim, ResearchReport } from '../../../view/report/report.ts';
import type { Tx } from '../../connect.ts';
import { readDiff } from '../diff/read-diff.ts';
import { unifiedDiff } from '../diff/unified-diff.ts';
import { readAttention } from '../attention/read-attention.ts';
import { readNext } from '../page/research/read-next.ts';
import { readBudgets } from '../page/spend/read-budgets.ts';
import { isComparable } from '../../trial/comparable.ts';
import type { ResearchView } from '../read-research.ts';
import { readStatus } from '../read-status.ts';
import { readTrial } from '../read-trial.ts';
import { readCalibration } from './read-calibration.ts';
import { readFailures } from './read-failures.ts';
import { readPeriod } from './read-period.ts';
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
  const period = await readPeriod(db, { research, from, now, isWhole: since === undefined });
  const candidates = await countScored(db, research);
  const sd = status.baseline?.sd ?? null;
  return {
    ...period,
    id,
    status,
    claims: await withDiffs(db, research, period.claims),
    unclaimed: await readUnclaimed(db, { research, best: status.best?.value ?? null }),
    failures: await readFailures(db, { research, from }),
    luck: { candidates, margin: sd === null ? null : sd * bestByLuck(candidates) },
    arms: status.arms,
    calibration: await readCalibration(db, research),
    forecast,
    next: await readNext(db, { status, end: forecast }),
    needsYou: (await readAttention(db, { researches: [research], pool: task.run.resources.pool, now })).attention,
  };
}

async function withDiffs(db: Tx, research: ResearchView, claims: readonly PeriodClaim[]): Promise<ReportedClaim[]> {
  const reported: ReportedClaim[] = [];
  for (const claim of claims) {
    const diff = claim.ofTrial === null ? '' : await readClaimDiff(db, research, claim.ofTrial);
    reported.push({ ...claim, diff });
  }
  return reported;
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
