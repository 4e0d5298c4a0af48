import { sql, type SQL } from 'drizzle-orm';
import { isCheck } from '../../../../domain/research/check-id.ts';
import type { CallRates } from '../../../../view/rows/rates.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { readRates } from '../../status/read-rates.ts';
import { finite } from '../finite.ts';
import { callsOf } from './calls-of.ts';
import { readBudgets, type BudgetLine } from './read-budgets.ts';

interface ModelSpend {
  model: string;
  calls: number;
  repeated: number;
  tokensIn: number;
  tokensOut: number;
  usd: number;
  /** Answers without a price: they are not in `usd`. */
  unpriced: number;
}

/** Spend: total, by model, by period and by research. */
export interface SpendView {
  /** USD and seconds on slots as the researches count them; answers that came too late to be stored are included. */
  total: Omit<ModelSpend, 'model' | 'unpriced' | 'repeated'> & { repeatedCalls: number; slotSeconds: number };
  models: ModelSpend[];
  /** Rates of all models' calls, as in `perpetua status`; null if no model was called. */
  rates: CallRates | null;
  hours: { at: string[]; usd: number[]; tokens: number[]; slotSeconds: number[] };
  /** `id` null: all checks of tasks together. */
  researches: Share[];
  budgets: BudgetLine[];
  savedSeconds: number | null;
}

interface Share {
  id: string | null;
  usd: number;
  tokens: number;
  slotSeconds: number;
  trials: number;
}

interface Input {
  researches: readonly ResearchView[];
  /** Id of the only research to include; `researches` then has no other. */
  researchId?: string | undefined;
  by: 'hour' | 'day';
  /** Minutes by which the zone of the days and hours is ahead of UTC. */
  ahead: number;
  now: Date;
}

/** Days that periods go back. */
const DAYS = 30;

export async function readSpend(db: Tx, input: Input): Promise<SpendView> {
  const { researches, researchId = null } = input;
  const isShown = ({ id }: { id: string }): boolean => id === researchId || !isCheck(id);
  const models = await readModels(db, input);
  const sum = (valueOf: (model: ModelSpend) => number): number => models.reduce((all, one) => all + valueOf(one), 0);
  const { usd, tokens, slotSeconds } = await readCounted(db, input);
  return {
    total: {
      usd,
      tokensIn: sum(({ tokensIn }) => tokensIn),
      tokensOut: sum(({ tokensOut }) => tokensOut),
      calls: sum(({ calls }) => calls),
      repeatedCalls: sum(({ repeated }) => repeated),
      slotSeconds,
    },
    models,
    rates: await readRates(db, { id: researchId, usd, tokens }),
    hours: await readPeriods(db, input),
    researches: sharesOf(researches, isShown).sort((a, b) => b.usd - a.usd || b.slotSeconds - a.slotSeconds),
    budgets: await readBudgets(db, { ...input, researches: researches.filter(isShown) }),
    savedSeconds: await readSaved(db, input),
  };
}

/** Shares of the researches that are shown, and one share of all others together. */
function sharesOf(researches: readonly ResearchView[], isShown: (research: ResearchView) => boolean): Share[] {
  const shares = researches.filter(isShown).map(shareOf);
  const others = researches.filter((one) => !isShown(one)).map(shareOf);
  const sum = (valueOf: (share: Share) => number): number => others.reduce((all, one) => all + valueOf(one), 0);
  if (others.length === 0) return shares;
  const [usd, tokens] = [sum((one) => one.usd), sum((one) => one.tokens)];
  return [
    ...shares,
    { id: null, usd, tokens, slotSeconds: sum((one) => one.slotSeconds), trials: sum((one) => one.trials) },
  ];
}

const shareOf = ({ id, usd, tokens, slotSeconds, lastN }: ResearchView): Share => ({
  id,
  usd,
  tokens,
  slotSeconds,
  trials: lastN,
});

const ofResearch = ({ researchId }: Input): SQL => (researchId === undefined ? sql`true` : callsOf(researchId));

interface Counted extends Record<string, unknown> {
  usd: number;
  tokens: number;
  slotSeconds: number;
}

/** Sums over the rows themselves: a research that this version cannot read has spent, too. */
async function readCounted(db: Tx, { researchId }: Input): Promise<Counted> {
  const { rows } = await db.execute<Counted>(sql`
    select coalesce(sum(${finite(sql`usd`)}), 0)::float8 as usd, coalesce(sum(tokens), 0)::float8 as tokens,
      coalesce(sum(${finite(sql`slot_seconds`)}), 0)::float8 as "slotSeconds"
    from researches
    where ${researchId === undefined ? sql`true` : sql`id = ${researchId}`}`);
  return rows[0] ?? { usd: 0, tokens: 0, slotSeconds: 0 };
}

/** Spend by model, most expensive first. */
async function readModels(db: Tx, input: Input): Promise<ModelSpend[]> {
  const { rows } = await db.execute<ModelSpend & Record<string, unknown>>(sql`
    select model, count(*)::int as calls, coalesce(sum(repeated), 0)::int as repeated,
      coalesce(sum(tokens_in), 0)::float8 as "tokensIn", coalesce(sum(tokens_out), 0)::float8 as "tokensOut",
      coalesce(sum(${finite(sql`usd`)}), 0)::float8 as usd,
      (count(*) filter (where answered_at is not null and usd is null))::int as unpriced
    from calls where sent_at <= ${input.now.toISOString()}::timestamptz and ${ofResearch(input)}
    group by model order by usd desc, calls desc, model`);
  return rows;
}

interface Period extends Record<string, unknown> {
  /** Start of the period. */
  at: string;
  usd: number;
  tokens: number;
  slotSeconds: number;
}

const SECONDS = { hour: 3600, day: 86_400 };

/** Periods from the first one with spend to the current one, without gaps. Trials count when they end. */
async function readPeriods(db: Tx, input: Input): Promise<SpendView['hours']> {
  const { researchId, by, ahead, now } = input;
  const seconds = SECONDS[by];
  const to = now.toISOString();
  const first = new Date(now.getTime() - DAYS * 86_400_000).toISOString();
  const origin = new Date(-ahead * 60_000).toISOString();
  const periodOf = (column: SQL) => sql`date_bin(${`${seconds} seconds`}::interval, ${column}, ${origin}::timestamptz)`;
  const { rows } = await db.execute<Period>(sql`
    with spent as (
      select ${periodOf(sql`sent_at`)} as at, sum(${finite(sql`usd`)}) as usd,
        sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)) as tokens, 0::float8 as seconds
      from calls
      where sent_at > ${first}::timestamptz and sent_at <= ${to}::timestamptz and ${ofResearch(input)} group by 1
      union all
      select ${periodOf(sql`ended_at`)}, 0, 0, sum(${finite(sql`seconds`)})
      from trials where status is not null and ended_at > ${first}::timestamptz and ended_at <= ${to}::timestamptz
        and ${researchId === undefined ? sql`true` : sql`research_id = ${researchId}`} group by 1)
    select at, coalesce(sum(usd), 0)::float8 as usd, coalesce(sum(tokens), 0)::float8 as tokens,
      coalesce(sum(seconds), 0)::float8 as "slotSeconds"
    from spent group by at order by at`);
  const numberOf = (at: Date): number => Math.floor((at.getTime() / 1000 + ahead * 60) / seconds);
  const found = new Map(rows.map((row) => [numberOf(new Date(row.at)), row]));
  const last = numberOf(now);
  const from = rows[0] ? numberOf(new Date(rows[0].at)) : last + 1;
  const ats = Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => from + index);
  const column = (key: 'usd' | 'tokens' | 'slotSeconds'): number[] => ats.map((at) => found.get(at)?.[key] ?? 0);
  return {
    at: ats.map((at) => new Date((at * seconds - ahead * 60) * 1000).toISOString()),
    usd: column('usd'),
    tokens: column('tokens'),
    slotSeconds: column('slotSeconds'),
  };
}

/** Seconds that runs had left when they were stopped early; null if none was stopped. */
async function readSaved(db: Tx, { researchId }: Input): Promise<number | null> {
  const { rows } = await db.execute<{ stopped: number; saved: number }>(sql`
    select count(*)::int as stopped,
      coalesce(sum(elapsed * (1 / share - 1)) filter (where share > 1e-9 and share < 1), 0) as saved
    from (
      select (runs.abort->>'elapsed')::float8 as elapsed, (runs.abort->>'share')::float8 as share
      from runs join trials on trials.id = runs.trial_id and trials.placement = runs.placement
      where (runs.abort->>'abort')::boolean and not (runs.abort->>'audited')::boolean and trials.status is not null
        and ${researchId === undefined ? sql`true` : sql`trials.research_id = ${researchId}`}) stops`);
  const [row] = rows;
  return row && row.stopped > 0 ? row.saved : null;
}
