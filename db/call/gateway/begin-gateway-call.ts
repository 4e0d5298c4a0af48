import { sql } from 'drizzle-orm';
import type { CallRequest, CallRole } from '../../../domain/gateway/call.ts';
import { type CallLimits, type CallSpend, refuseCall } from '../../../domain/gateway/limits.ts';
import { cleanText } from '../../../domain/json/clean-text.ts';
import type { Budget } from '../../../domain/schema/budget.ts';
import type { Tx } from '../../connect.ts';
import { storeRequest } from './store-request.ts';

export interface GatewayCall {
  trialId: string;
  role: CallRole;
  limits: CallLimits;
  request: CallRequest;
  /** Turns of this caller whose answers are still awaited: an equal request is another call. */
  underWay: readonly number[];
  /** Charge for a request whose answer was lost: an estimate of its input. */
  lost: { tokens: number; usd: number | null };
  /** True if the model has a price. */
  isPriced: boolean;
}

/** `mark`: mark of this sending, which its answer must carry. `refused`: sentence for the caller. */
export type Begun = { turn: number; mark: string } | { refused: string };

/**
 * Stores a request of the gateway before it leaves, in one transaction. Refuses it if a limit of the trial or a budget
 * of the research is spent. If the caller's last equal request was not answered in full, its row is used again. A
 * request whose answer was lost was bought: the row counts it as repeated, and an estimate of its input is charged.
 */
export async function beginGatewayCall(db: Tx, call: GatewayCall): Promise<Begun> {
  const { trialId, role, request } = call;
  return db.transaction(async (tx) => {
    // Turns and parts of a trial get their numbers one after the other.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`calls of ${trialId}`}, 0))`);
    const { budget, hasEnded, researchSpent, spent } = await readFacts(tx, call);
    const { limits, isPriced } = call;
    const { model } = request;
    const refused = refuseCall({ hasEnded, model, isPriced, limits, spent, budget, researchSpent });
    if (refused !== null) return { refused };
    const { part, isKnown } = await storeRequest(tx, { trialId, role, request });
    return (isKnown ? await sendAgain(tx, call, part) : null) ?? insertCall(tx, call, part);
  });
}

interface Facts {
  hasEnded: boolean;
  budget: Budget;
  researchSpent: Pick<CallSpend, 'tokens' | 'usd'>;
  spent: CallSpend;
}

async function readFacts(tx: Tx, { trialId, role }: GatewayCall): Promise<Facts> {
  type Row = Pick<Facts, 'hasEnded' | 'budget'> & CallSpend & { allTokens: number; allUsd: number };
  const { rows } = await tx.execute<Row & Record<string, unknown>>(sql`
    select trials.status is not null as "hasEnded", researches.budget, researches.tokens::float8 as "allTokens",
      researches.usd::float8 as "allUsd", own.*
    from trials join researches on researches.id = trials.research_id cross join (
      select count(*)::int + coalesce(sum(repeated), 0)::int as calls,
        coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 as tokens,
        coalesce(sum(usd), 0)::float8 as usd
      from calls where trial_id = ${trialId} and role = ${role}) own
    where trials.id = ${trialId}`);
  const [row] = rows;
  if (!row) throw new Error(`Expected a trial ${trialId} in the database, found none`);
  const { hasEnded, budget, allTokens, allUsd, ...spent } = row;
  return { hasEnded, budget, researchSpent: { tokens: allTokens, usd: allUsd }, spent };
}

/** Uses the row of the last equal request again; null if that request was answered in full, or is under way. */
async function sendAgain(tx: Tx, call: GatewayCall, part: number): Promise<Begun | null> {
  const { trialId, role, underWay, lost } = call;
  const { rows } = await tx.execute<{ turn: number; mark: string }>(sql`
    with last as (
      select turn, answered_at is null and error is null as is_lost, answered_at is not null and not cut as is_whole
      from calls
      where trial_id = ${trialId} and role = ${role} and request_part = ${part}
        and turn <> all(${sql.param([...underWay])}::int[])
      order by turn desc limit 1),
    again as (
      update calls set
        repeated = repeated + case when error is null then 1 else 0 end,
        tokens_in = case when is_lost then coalesce(tokens_in, 0) + ${lost.tokens}::int else tokens_in end,
        usd = case when is_lost and ${lost.usd}::float8 is not null
          then coalesce(usd, 0) + ${lost.usd}::float8 else usd end,
        estimated = estimated or is_lost, error = null, status = null, cut = false, answered_at = null,
        sent_at = greatest(clock_timestamp(), sent_at + interval '1 microsecond')
      from last where calls.trial_id = ${trialId} and calls.turn = last.turn and not is_whole
      returning calls.turn, calls.sent_at::text as mark, is_lost),
    charged as (
      update researches set tokens = tokens + ${lost.tokens}::int, usd = usd + coalesce(${lost.usd}::float8, 0)
      from trials, again where trials.id = ${trialId} and researches.id = trials.research_id and again.is_lost)
    select turn, mark from again`);
  return rows[0] ?? null;
}

async function insertCall(tx: Tx, call: GatewayCall, part: number): Promise<Begun> {
  const { trialId, role, request } = call;
  const { protocol, model } = request;
  const { rows } = await tx.execute<{ turn: number; mark: string }>(sql`
    insert into calls (trial_id, turn, role, protocol, model, request_part, sent_at)
    select ${trialId}, (select coalesce(max(turn), -1) + 1 from calls where trial_id = ${trialId}), ${role},
      ${protocol}, ${cleanText(model ?? 'no model named')}, ${part}, clock_timestamp()
    returning turn, sent_at::text as mark`);
  if (!rows[0]) throw new Error(`Expected the row of a call of ${trialId}, found none`);
  return rows[0];
}
