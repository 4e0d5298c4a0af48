import { sql } from 'drizzle-orm';
import { isCheck } from '../../../../domain/research/check-id.ts';
import type { CallRates } from '../../../../view/rows/rates.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { finite } from '../finite.ts';
import type { BlockResearch } from '../blocks/block-reader.ts';
import type { SpendBlock } from '../blocks/spend-sums.ts';
import type { PageCaches } from '../page-caches.ts';
import { readBudgets, type BudgetLine } from './read-budgets.ts';
import { type Periods, sumPeriods } from './sum-periods.ts';
import { countClaims, hasCalls, sumRates } from './read-rates.ts';

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
  hours: Periods;
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
  /** Readers that keep what they have counted. */
  readers: Pick<PageCaches, 'readSums'>;
}

export async function readSpend(db: Tx, input: Input): Promise<SpendView> {
  const { researches, researchId = null } = input;
  const isShown = ({ id }: { id: string }): boolean => id === researchId || !isCheck(id);
  const perResearch = await readSums(db, input);
  const blocks = [...perResearch.values()].flat();
  const models = sumModels(blocks);
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
    rates: sumRates(blocks, { usd, tokens, claims: await countClaimsWithCalls(db, perResearch) }),
    hours: sumPeriods(blocks, input),
    researches: sharesOf(researches, isShown).sort((a, b) => b.usd - a.usd || b.slotSeconds - a.slotSeconds),
    budgets: await readBudgets(db, { ...input, researches: researches.filter(isShown) }),
    savedSeconds: savedIn(blocks),
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

/** Blocks of sums, by research: of one research, or of every one, also if this version cannot read its row. */
async function readSums(
  db: Tx,
  { researchId, ahead, readers }: Input,
): Promise<Map<string, readonly (SpendBlock | null)[]>> {
  const { rows } = await db.execute<Omit<BlockResearch, 'createdAt'> & { createdAt: string }>(sql`
    select id, created_at as "createdAt", last_n as "lastN" from researches
    where ${researchId === undefined ? sql`true` : sql`id = ${researchId}`} order by created_at, id`);
  // Periods begin with a whole hour of the zone.
  const offset = ((-ahead % QUARTER) + QUARTER) % QUARTER;
  const found = rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), offset }));
  const blocks = await readers.readSums(db, found);
  return new Map(found.map(({ id }, index) => [id, blocks[index] ?? []]));
}

/** Minutes of the periods that are kept. */
const QUARTER = 15;

/** Claims of researches with calls: claims without calls would make others look cheap. */
async function countClaimsWithCalls(
  db: Tx,
  perResearch: ReadonlyMap<string, readonly (SpendBlock | null)[]>,
): Promise<number> {
  const claims = await countClaims(db);
  return [...perResearch].reduce((sum, [id, blocks]) => sum + (blocks.some(hasCalls) ? (claims.get(id) ?? 0) : 0), 0);
}

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
function sumModels(blocks: readonly (SpendBlock | null)[]): ModelSpend[] {
  const sums = new Map<string, ModelSpend>();
  for (const block of blocks)
    for (const [model, calls, repeated, tokensIn, tokensOut, usd, unpriced] of block?.models ?? []) {
      const sum = sums.get(model) ?? { model, calls: 0, repeated: 0, tokensIn: 0, tokensOut: 0, usd: 0, unpriced: 0 };
      sum.calls += calls;
      sum.repeated += repeated;
      sum.tokensIn += tokensIn;
      sum.tokensOut += tokensOut;
      sum.usd += usd;
      sum.unpriced += unpriced;
      sums.set(model, sum);
    }
  return [...sums.values()].sort(
    (a, b) => b.usd - a.usd || b.calls - a.calls || (a.model < b.model ? -1 : Number(a.model > b.model)),
  );
}

/** Seconds that runs had left when they were stopped early; null if none was stopped. */
function savedIn(blocks: readonly (SpendBlock | null)[]): number | null {
  let [stopped, saved] = [0, 0];
  for (const block of blocks) {
    stopped += block?.stopped ?? 0;
    saved += block?.saved ?? 0;
  }
  return stopped > 0 ? saved : null;
}
