import { sql } from 'drizzle-orm';
import type { CallRequest, CallRole } from '../../../domain/gateway/call.ts';
import { type CallLimits, type CallSpend, mustWait, refuseCall } from '../../../domain/gateway/limits.ts';
import { partsOf, splitRequest, wholeRequest } from '../../../domain/gateway/stored/split-request.ts';
import { cleanText } from '../../../domain/json/clean-text.ts';
import type { Budget } from '../../../domain/schema/budget.ts';
import type { Tx } from '../../connect.ts';
import { compressParts, hashesOf, type NewPart, type PlannedParts, planParts } from './plan-parts.ts';

export interface GatewayCall {
  trialId: string;
  role: CallRole;
  /**
   * Scoring of an evaluator, whose calls alone count towards the limits: its number, or `new` for its first call. Null
   * for a proposer.
   */
  scoring: number | 'new' | null;
  limits: CallLimits;
  request: CallRequest;
  /** Turns of this caller whose answers are still awaited: an equal request is another call. */
  underWay: readonly number[];
  /** Charge for a request whose answer was lost: an estimate of its input. */
  lost: { tokens: number; usd: number | null };
  /** True if the model has a price. */
  isPriced: boolean;
}

/** `mark`: mark of this sending, which its answer must carry. */
interface Sent {
  turn: number;
  mark: string;
  /** Scoring of the call; null for a proposer. */
  scoring: number | null;
}

/** `refused`: sentence for the caller. `waits`: a call under way has to end first. */
export type Begun = Sent | { refused: string } | { waits: true };

/** Most parts that one request adds: each is compressed by itself. A request that adds more is stored as one text. */
const MOST_ADDED = 1000;
/** Most bytes of a caller's bodies in the database for one trial. */
const MOST_STORED_BYTES = 256 * 1024 * 1024;
/** Characters of a request that are stored without a look at the limit. */
const FEW_CHARACTERS = 256 * 1024;

/**
 * Stores a request of the gateway before it leaves, in one transaction. Refuses it if a limit of the trial or a budget
 * of the research is spent. If the caller's last equal request was not answered in full, its row is used again. A
 * request whose answer was lost was bought: the row counts it as repeated, and an estimate of its input is charged.
 */
export async function beginGatewayCall(db: Tx, call: GatewayCall): Promise<Begun> {
  const split = splitRequest(call.request);
  const hashes = hashesOf(partsOf(split));
  return db.transaction(async (tx) => {
    // Turns and parts of a trial get their numbers one after the other.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`calls of ${call.trialId}`}, 0))`);
    const { known, next, nextScoring, ...facts } = await readState(tx, { call, hashes: [...hashes.values()] });
    const scoring = call.scoring === 'new' ? nextScoring : call.scoring;
    const { role, isPriced, limits, request } = call;
    const refused = refuseCall({ ...facts, role, model: request.model, isPriced, limits });
    if (refused !== null) return { refused };
    if (mustWait({ role, limits, budget: facts.budget }, call.underWay.length)) return { waits: true };
    const inParts = planParts(split, { hashes, known, next });
    const isMany = inParts.added.length > MOST_ADDED;
    const planned = isMany ? planParts(wholeRequest(call.request), { hashes: new Map(), known, next }) : inParts;
    const excess = await findExcess(tx, call, planned);
    if (excess !== null) return { refused: excess };
    // A request with a new part is new itself.
    const same = planned.added.length > 0 ? null : await findPart(tx, { call, hash: planned.frame.hash });
    const numbered = { ...call, scoring };
    if (same === null) return insertCall(tx, numbered, { part: planned.frame.n, added: await compressParts(planned) });
    return (await sendAgain(tx, numbered, same)) ?? insertCall(tx, numbered, { part: same, added: [] });
  });
}

interface State {
  hasEnded: boolean;
  budget: Budget;
  researchSpent: Pick<CallSpend, 'tokens' | 'usd'>;
  /** Spend of the caller in this trial, without that of a replaced arm, or in this scoring. */
  spent: CallSpend & { failed: number };
  /** Number of a scoring whose first call this is. */
  nextScoring: number;
  /** Numbers of the request's parts that are stored, by their hash. */
  known: Record<string, number>;
  /** Number of the caller's next part. */
  next: number;
}

async function readState(tx: Tx, { call, hashes }: { call: GatewayCall; hashes: string[] }): Promise<State> {
  const { trialId, role } = call;
  // A new scoring has spent nothing.
  const scoring = call.scoring === 'new' ? -1 : call.scoring;
  const { rows } = await tx.execute<State & Record<string, unknown>>(sql`
    select trials.status is not null as "hasEnded", researches.budget,
      json_build_object('tokens', researches.tokens, 'usd', researches.usd) as "researchSpent",
      (select json_build_object(
          'calls', count(*) + coalesce(sum(repeated), 0),
          'failed', coalesce(sum(failed - limited), 0),
          'tokens', coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0),
          'usd', coalesce(sum(usd), 0))
        from calls
        where trial_id = ${trialId} and role = ${role} and scoring is not distinct from ${scoring}::int
          and turn >= trials.first_turn) as spent,
      (select coalesce(max(scoring), 0) + 1 from calls where trial_id = ${trialId}) as "nextScoring",
      (select coalesce(json_object_agg(hash, n), '{}') from call_parts
        where trial_id = ${trialId} and role = ${role} and hash = any(${sql.param(hashes)}::text[])) as known,
      (select coalesce(max(n), -1) + 1 from call_parts
        where trial_id = ${trialId} and role = ${role} and n >= 0) as next
    from trials join researches on researches.id = trials.research_id where trials.id = ${trialId}`);
  if (!rows[0]) throw new Error(`Expected a trial ${trialId} in the database, found none`);
  return rows[0];
}

/** Sentence that refuses a large request if the caller's bodies fill their share of the database; else null. */
async function findExcess(tx: Tx, call: GatewayCall, { added, frame }: PlannedParts): Promise<string | null> {
  if ([...added, frame].reduce((sum, { text }) => sum + text.length, 0) <= FEW_CHARACTERS) return null;
  const { rows } = await tx.execute<{ bytes: number }>(sql`
    select coalesce(sum(octet_length(body)), 0)::float8 as bytes from call_parts
    where trial_id = ${call.trialId} and role = ${call.role}`);
  const bytes = rows[0]?.bytes ?? 0;
  return bytes < MOST_STORED_BYTES
    ? null
    : `the requests of this trial are too large together: ${Math.round(bytes / 1e6)} MB of them are stored`;
}

/** Number of a caller's part; null if it is not stored. */
async function findPart(tx: Tx, { call, hash }: { call: GatewayCall; hash: string }): Promise<number | null> {
  const { rows } = await tx.execute<{ n: number }>(sql`
    select n from call_parts where trial_id = ${call.trialId} and role = ${call.role} and hash = ${hash}`);
  return rows[0]?.n ?? null;
}

/** A call whose scoring has its number. */
type Numbered = GatewayCall & { scoring: number | null };

/**
 * Uses the row of the last equal request again, unless a replaced arm sent it. A row of an earlier scoring stays that
 * scoring's: what a dead worker lost must not count towards the limits of the scoring that repeats it. Null if that
 * request was answered in full, or is under way.
 */
async function sendAgain(tx: Tx, call: Numbered, part: number): Promise<Sent | null> {
  const { trialId, role, scoring, underWay, lost } = call;
  const { rows } = await tx.execute<Sent & Record<string, unknown>>(sql`
    with last as (
      select turn, answered_at is null and error is null as is_lost, answered_at is not null and not cut as is_whole
      from calls
      where trial_id = ${trialId} and role = ${role} and request_part = ${part}
        and turn <> all(${sql.param([...underWay])}::int[])
        and turn >= (select first_turn from trials where id = ${trialId})
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
    select turn, mark, ${scoring}::int as scoring from again`);
  return rows[0] ?? null;
}

/** Inserts the row of a call, with the parts that its request adds. */
async function insertCall(
  tx: Tx,
  { trialId, role, scoring, request }: Numbered,
  { part, added }: { part: number; added: readonly NewPart[] },
): Promise<Sent> {
  const { protocol, model } = request;
  const column = <T>(valueOf: (row: NewPart) => T) => sql.param(added.map(valueOf));
  const { rows } = await tx.execute<Sent & Record<string, unknown>>(sql`
    with stored as (
      insert into call_parts (trial_id, role, n, hash, body)
      select ${trialId}, ${role}, n, hash, body
      from unnest(${column(({ n }) => n)}::int[], ${column(({ hash }) => hash)}::text[],
        ${column(({ body }) => body)}::bytea[]) as part(n, hash, body))
    insert into calls (trial_id, turn, role, scoring, protocol, model, request_part, sent_at)
    select ${trialId}, (select coalesce(max(turn), -1) + 1 from calls where trial_id = ${trialId}), ${role},
      ${scoring}::int, ${protocol}, ${cleanText(model ?? 'no model named')}, ${part}, clock_timestamp()
    returning turn, sent_at::text as mark, scoring`);
  if (!rows[0]) throw new Error(`Expected the row of a call of ${trialId}, found none`);
  return rows[0];
}
