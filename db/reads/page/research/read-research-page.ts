import { desc, eq, sql } from 'drizzle-orm';
import { gainOverBaseline } from '../../../../view/page/gain-over-baseline.ts';
import type { NeedsYou } from '../../../../view/attention/entry.ts';
import { researchCommands } from '../../../../view/page/commands.ts';
import { intervalOf, type WithInterval } from '../../../../view/page/research/interval.ts';
import { firstLimitReached } from '../../../../view/page/spend/forecast-limits.ts';
import type { PhaseSpan } from '../../../../view/page/research/phase-spans.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { StatusView } from '../../../../view/status.ts';
import type { Tx } from '../../../connect.ts';
import { readTogether } from '../../../read-together.ts';
import { notes } from '../../../schema.ts';
import type { ResearchView } from '../../read-research.ts';
import { readRulings, type Ruled } from '../../read-rulings.ts';
import { readStatus } from '../../read-status.ts';
import { countTrials } from '../blocks/count-trials.ts';
import { readAbsorbed } from '../blocks/read-absorbed.ts';
import type { PageCaches } from '../page-caches.ts';
import { readKeptRates } from '../spend/read-rates.ts';
import { readPhases } from './read-phases.ts';
import { readBudgets, type BudgetLine } from '../spend/read-budgets.ts';
import { versionsWithMetricOf } from '../../../trial/comparable.ts';
import { metricView, type MetricView } from './metric-view.ts';
import { readAttention } from '../../attention/read-attention.ts';
import { readClaimLines, type ClaimLine } from './read-claim-lines.ts';
import { readEventLines, type EventWords } from './read-event-lines.ts';
import type { IdeaView } from './read-idea.ts';
import { readNext } from './read-next.ts';
import { readRunningLines, type RunningLine } from './read-running-lines.ts';

/** Page of one research; moments are ISO 8601. */
export interface ResearchPage extends NeedsYou {
  status: StatusView;
  metric: MetricView;
  description: string;
  createdAt: string;
  /** Estimate of the best; null until one is measured. */
  best: WithInterval | null;
  claims: ClaimLine[];
  phases: PhaseSpan[];
  rulings: (Pick<
    Ruled,
    'trialId' | 'n' | 'kind' | 'status' | 'failure' | 'verdict' | 'value' | 'hypothesis' | 'reason'
  > & {
    gain: number | null;
    at: string;
  })[];
  running: RunningLine[];
  idea: IdeaView | null;
  budgets: BudgetLine[];
  next: string[];
  notes: { text: string; at: string }[];
  commands: { label: string; command: string }[];
  /** Newest first. */
  events: Pick<EventWords, 'at' | 'kind' | 'level' | 'n' | 'text'>[];
  learns: boolean;
}

const MOST = { rulings: 30, notes: 50, events: 50 };

interface Input {
  research: ResearchView;
  now: Date;
  /** Readers that keep what they have counted. */
  readers: Pick<PageCaches, 'readTally' | 'readColumns' | 'readSums' | 'readIdea'>;
}

export async function readResearchPage(db: Tx, { research, now, readers }: Input): Promise<ResearchPage> {
  const { id: researchId, task, createdAt } = research;
  const { readTally, readColumns, readSums } = readers;
  const columns = await readColumns(db, research);
  const { status, budgets, ...reads } = await readTogether(db, {
    status: () =>
      readStatus(db, {
        research,
        readTally,
        readKeptCounts: async () => countTrials(columns, await readAbsorbed(db, researchId)),
        readKeptRates: () => readKeptRates(db, { research, readSums }),
      }),
    news: () => readEventLines(db, { researchId, level: 'info', limit: MOST.events }),
    budgets: () => readBudgets(db, { researches: [research], now, columns }),
    claims: () => readClaimLines(db, research, columns),
    ruled: () => readRuled(db, research),
    running: () => readRunningLines(db, research),
    idea: () => readers.readIdea(db, { researchId }),
    attention: () => readAttention(db, { researches: [research], pool: task.run.resources.pool, now }),
    notes: () => readNotes(db, researchId),
  });
  const { claims, running, idea, attention } = reads;
  const { phase, reason } = status;
  const { phases, next } = await readTogether(db, {
    phases: () => readPhases(db, { ...research, phase, reason }),
    next: () => readNext(db, { status, end: firstLimitReached(budgets) }),
  });
  return {
    status,
    metric: metricView(task),
    description: task.description,
    createdAt: createdAt.toISOString(),
    best: bestOf(research),
    claims,
    phases,
    rulings: reads.ruled.map(({ line, isOld }) => rulingOf(line, isOld ? { ...status, baseline: null } : status)),
    running,
    idea,
    budgets,
    next,
    ...attention,
    notes: reads.notes,
    commands: researchCommands({ id: researchId, phase, task: task.name, budget: status.budget }),
    events: withAlerts(reads.news.events, status.alerts),
    learns: status.learning !== null,
  };
}

/** The newest events and alerts, newest first: an alert is news, such as a refused message. */
function withAlerts(events: readonly EventWords[], alerts: StatusView['alerts']): ResearchPage['events'] {
  const news = alerts.map(({ at, message }) => ({
    at,
    kind: 'alert',
    level: 'notice' as const,
    n: null,
    text: message,
  }));
  const lines = events.map(({ at, kind, level, n, text }) => ({ at, kind, level, n, text })).reverse();
  return [...lines, ...news].toSorted((a, b) => b.at.localeCompare(a.at, 'en')).slice(0, MOST.events);
}

function bestOf(research: ResearchView): WithInterval | null {
  const { claim } = standingOf(research);
  return claim && intervalOf(claim);
}

/** The newest rulings. `isOld`: another metric measured it. */
async function readRuled(
  db: Tx,
  { id: researchId, taskHash }: ResearchView,
): Promise<{ line: Ruled; isOld: boolean }[]> {
  const lines = await readRulings(db, { researchId, limit: MOST.rulings });
  const numbers = sql.param(lines.map(({ n }) => n));
  const { rows } = await db.execute<{ n: number }>(sql`
    select n from trials where research_id = ${researchId} and n = any(${numbers}::int[])
      and task_hash not in ${versionsWithMetricOf(taskHash)}`);
  const others = new Set(rows.map(({ n }) => n));
  return lines.map((line) => ({ line, isOld: others.has(line.n) }));
}

/** Converts a ruling. Its gain is null without a baseline that was measured by the same metric. */
function rulingOf(
  line: Ruled,
  { baseline, metric }: Pick<StatusView, 'baseline' | 'metric'>,
): ResearchPage['rulings'][number] {
  const { trialId, n, kind, status, failure, verdict, value, hypothesis, reason, ruledAt, endedAt } = line;
  const gain = gainOverBaseline(baseline?.value ?? null, { value, direction: metric.direction });
  const at = ruledAt ?? endedAt ?? new Date(0).toISOString();
  return { trialId, n, kind, status, failure, verdict, value, gain, hypothesis, reason, at };
}

async function readNotes(db: Tx, researchId: string): Promise<ResearchPage['notes']> {
  const rows = await db
    .select({ text: notes.text, at: notes.createdAt })
    .from(notes)
    .where(eq(notes.researchId, researchId))
    .orderBy(desc(notes.createdAt))
    .limit(MOST.notes);
  return rows.map(({ text, at }) => ({ text, at: at.toISOString() }));
}
