import { sql } from 'drizzle-orm';
import { LIMITS, type Limit } from '../../../../domain/schema/budget.ts';
import { PROPOSAL_KINDS } from '../../../../domain/trial.ts';
import { budgetUseOf } from '../../../../view/budget.ts';
import { spendAtFirstLimit, forecastLimits, type Forecast } from '../../../../view/page/spend/forecast-limits.ts';
import { paceWindow, type PaceWindow } from '../../../../view/page/spend/pace-window.ts';
import { hasEnded } from '../../../../view/phase.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { finite } from '../finite.ts';
import type { TrialColumns } from '../blocks/trial-columns.ts';
import { readPhases } from '../research/read-phases.ts';
import { callsOf } from './calls-of.ts';

/** A limit of a research, with a forecast. */
export interface BudgetLine extends Forecast {
  research: string;
  limit: Limit;
  spent: number;
  of: number;
  /** Spend when the research reaches its first limit at this pace; null if it reaches none. */
  atEnd: number | null;
}

interface Input {
  researches: readonly ResearchView[];
  now: Date;
  /** Trials of the only research, for a caller that has read them. */
  columns?: TrialColumns | undefined;
}

/** Limits of researches, with a forecast by the pace of the last hours. */
export async function readBudgets(db: Tx, { researches, now, columns }: Input): Promise<BudgetLine[]> {
  const lines: BudgetLine[] = [];
  for (const research of researches) {
    const use = budgetUseOf(research);
    const limited = LIMITS.filter((limit) => use[limit].limit !== null);
    if (limited.length === 0) continue;
    const idle = idleOf(research.phase);
    const perHour = idle === null ? await readPace(db, research, { now, columns }) : null;
    const paces = limited.flatMap((limit) => {
      const { spent, limit: of } = use[limit];
      return of === null ? [] : [{ limit, spent, of, perHour: perHour?.[limit] ?? null }];
    });
    const atEnd = spendAtFirstLimit(paces);
    forecastLimits(paces, { now, idle }).forEach((forecast, index) => {
      const pace = paces[index];
      if (!pace) return;
      const { limit, spent, of } = pace;
      lines.push({ research: research.id, limit, spent, of, atEnd: atEnd[index] ?? null, ...forecast });
    });
  }
  return lines;
}

function idleOf(phase: ResearchView['phase']): 'ended' | 'paused' | null {
  if (hasEnded(phase)) return 'ended';
  return phase === 'paused' ? 'paused' : null;
}

type Pace = Record<Limit, number | null>;

/** Spend of each limit per hour. Hours pass at any time; the others are not known before the first proposal. */
async function readPace(
  db: Tx,
  research: ResearchView,
  { now, columns }: Pick<Input, 'now' | 'columns'>,
): Promise<Pace> {
  const { id } = research;
  const first = await db.execute<{ at: string }>(sql`
    select created_at as at from trials
    where research_id = ${id} and kind = any(${sql.param([...PROPOSAL_KINDS])}::text[]) order by n limit 1`);
  const firstAt = first.rows[0]?.at;
  const firstProposalAt = firstAt === undefined ? null : new Date(firstAt);
  const window = paceWindow({ firstProposalAt, phases: await readPhases(db, research) }, now);
  if (window === null)
    return {
      trials: null,
      proposals: null,
      hours: 1,
      hoursWithoutClaim: 1,
      slotSeconds: null,
      tokens: null,
      usd: null,
    };
  const trials = columns ? spentOnTrials(columns, research, window) : await readSpentOnTrials(db, research, window);
  const spent = { ...trials, ...(await readSpentOnCalls(db, research, window)) };
  const perHour = (amount: number): number => (window.hours > 0 ? amount / window.hours : 0);
  return {
    trials: perHour(spent.trials),
    proposals: perHour(spent.proposals),
    hours: 1,
    hoursWithoutClaim: 1,
    slotSeconds: perHour(spent.slotSeconds),
    tokens: perHour(spent.tokens),
    usd: perHour(spent.usd),
  };
}

type SpentOnTrials = Record<'trials' | 'proposals' | 'slotSeconds', number>;

/** Spend of the trials that ended in the window. */
async function readSpentOnTrials(db: Tx, { id, budget }: ResearchView, window: PaceWindow): Promise<SpentOnTrials> {
  const { rows } = await db.execute<SpentOnTrials & Record<string, unknown>>(sql`
    select count(*) filter (
        where kind = any(${sql.param([...budget.counts])}::text[])
          and status not in ('cached', 'rejected'))::int as trials,
      count(*) filter (where kind = any(${sql.param([...PROPOSAL_KINDS])}::text[]))::int as proposals,
      coalesce(sum(${finite(sql`seconds`)}), 0)::float8 as "slotSeconds"
    from trials where research_id = ${id} and status is not null
      and ended_at > ${window.from.toISOString()}::timestamptz`);
  return rows[0] ?? { trials: 0, proposals: 0, slotSeconds: 0 };
}

/** Equals `readSpentOnTrials`. */
function spentOnTrials(
  { blocks, classes }: TrialColumns,
  { createdAt, budget }: ResearchView,
  { from }: PaceWindow,
): SpentOnTrials {
  const since = (from.getTime() - createdAt.getTime()) / 1000;
  const counts = classes.map(
    ({ kind, status }) => budget.counts.includes(kind) && status !== 'cached' && status !== 'rejected',
  );
  const proposes = classes.map(({ kind }) => PROPOSAL_KINDS.includes(kind));
  const spent = { trials: 0, proposals: 0, slotSeconds: 0 };
  for (const block of blocks) {
    if (block === null || block.lastEnd <= since) continue;
    block.ends.forEach((end, index) => {
      const found = block.classes[index] ?? -1;
      if (!(end > since)) return;
      if (counts[found] === true) spent.trials += 1;
      if (proposes[found] === true) spent.proposals += 1;
      spent.slotSeconds += block.seconds[index] || 0;
    });
  }
  return spent;
}

/** Spend on the model calls that were sent in the window. */
async function readSpentOnCalls(
  db: Tx,
  { id }: ResearchView,
  { from }: PaceWindow,
): Promise<Record<'tokens' | 'usd', number>> {
  const { rows } = await db.execute<{ tokens: number; usd: number }>(sql`
    select coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 as tokens,
      coalesce(sum(${finite(sql`usd`)}), 0)::float8 as usd
    from calls where sent_at > ${from.toISOString()}::timestamptz and ${callsOf(id)}`);
  return rows[0] ?? { tokens: 0, usd: 0 };
}
