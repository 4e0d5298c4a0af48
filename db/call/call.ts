import { and, eq, isNull, sql } from 'drizzle-orm';
import { NOTHING } from '../../domain/edit/answer/finish-reason.ts';
import { cleanJson, cleanText } from '../../domain/json/clean-text.ts';
import type { Tx } from '../connect.ts';
import { eventsFrom } from '../event/insert-events.ts';
import { calls, researches, trials } from '../schema.ts';
import { countEnded } from '../trial/count-ended.ts';

export type Call = typeof calls.$inferSelect;

/**
 * Stores a request that is about to be sent, and how many trials had ended when it was made. The stored request is the
 * one sent now, because a later attempt knows more. An earlier request of the turn that was never answered is counted.
 *
 * Returns the mark of this sending, which its answer must carry. Returns null if the turn has its answer or is a call
 * through the gateway, or if a later attempt of the same workflow run sent it: an attempt that was suspended must not
 * take the mark from a later one.
 * Attempts of different workflow runs have no order, so the last caller gets the mark.
 */
export async function beginCall(
  db: Tx,
  input: {
    trialId: string;
    turn: number;
    model: string;
    request: unknown;
    promptSizes?: Call['promptSizes'];
    workflowRun: string;
    attempt: number;
  },
): Promise<string | null> {
  const begun = db.$with('begun').as(
    db
      .insert(calls)
      .values(input)
      .onConflictDoUpdate({
        target: [calls.trialId, calls.turn],
        set: {
          // A request that ended in an error was answered. No error means that the worker died: the request is bought
          // again.
          repeated: sql`${calls.repeated} + case when ${calls.error} is null then 1 else 0 end`,
          model: sql`excluded.model`,
          request: sql`excluded.request`,
          promptSizes: sql`excluded.prompt_sizes`,
          error: null,
          workflowRun: sql`excluded.workflow_run`,
          attempt: sql`excluded.attempt`,
          // Later than any earlier sending, even if the clock was set back.
          sentAt: sql`greatest(clock_timestamp(), ${calls.sentAt} + interval '1 microsecond')`,
        },
        setWhere: sql`${calls.answer} is null and ${calls.protocol} is null and ${isNotSuperseded}`,
      })
      .returning({ trialId: calls.trialId, mark: sql<string>`${calls.sentAt}::text`.as('mark') }),
  );
  const [row] = await db
    .with(begun)
    .update(trials)
    .set({ contextEnded: countEnded(sql`${trials.researchId}`) })
    .from(begun)
    .where(eq(trials.id, begun.trialId))
    .returning({ mark: begun.mark });
  return row?.mark ?? null;
}

/**
 * True unless a later attempt of the same workflow run sent the call. Older versions stored no attempt: it counts as 0.
 */
const isNotSuperseded = sql`(${calls.workflowRun} is distinct from excluded.workflow_run
  or coalesce(${calls.attempt}, 0) <= excluded.attempt)`;

/** The stored call of a proposer's turn. */
export async function findCall(db: Tx, input: { trialId: string; turn: number }): Promise<Call | undefined> {
  return (
    await db
      .select()
      .from(calls)
      .where(
        and(
          eq(calls.trialId, input.trialId),
          eq(calls.turn, input.turn),
          // No prompt shows what an evaluator asked.
          eq(calls.role, 'proposer'),
        ),
      )
  )[0];
}

type Answer = Sending & { answer: string } & Pick<
    Call,
    'outcome' | 'tokensIn' | 'tokensOut' | 'usd' | 'latencySeconds'
  > &
  Partial<Pick<Call, 'tokensCached' | 'tokensReasoning'>>;

/**
 * Stores the answer to a sending and charges its cost to the research, in one statement. If the turn has an answer or
 * was sent again, it returns false and stores nothing, but still charges the cost of a sending that was superseded.
 */
export async function saveAnswer(db: Tx, input: Answer): Promise<boolean> {
  const { trialId, turn, mark, ...given } = input;
  // Postgres refuses some characters. They must not cost a paid answer.
  const answer = { ...given, answer: cleanText(given.answer), outcome: cleanJson(given.outcome) };
  const saved = db.$with('saved').as(
    db
      .update(calls)
      .set({ ...answer, error: null, answeredAt: sql`now()` })
      .where(isLastSending(input))
      .returning({ trialId: calls.trialId }),
  );
  const rows = await db
    .with(saved)
    .update(researches)
    .set(charged(answer))
    .from(saved)
    .innerJoin(trials, eq(trials.id, saved.trialId))
    .where(eq(researches.id, trials.researchId))
    .returning({ id: researches.id });
  if (rows.length > 0) return true;
  await db
    .update(researches)
    .set(charged(answer))
    .from(calls)
    .innerJoin(trials, eq(trials.id, calls.trialId))
    .where(
      and(
        eq(researches.id, trials.researchId),
        eq(calls.trialId, trialId),
        eq(calls.turn, turn),
        sql`${calls.sentAt} <> ${mark}::timestamptz`,
      ),
    );
  return false;
}

const charged = ({ tokensIn, tokensOut, usd }: Pick<Call, 'tokensIn' | 'tokensOut' | 'usd'>) => ({
  tokens: sql`${researches.tokens} + ${(tokensIn ?? 0) + (tokensOut ?? 0)}`,
  usd: sql`${researches.usd} + ${usd ?? 0}`,
});

/**
 * Stores the error of a sending. `limited`: the endpoint refused it as too many (429); `nothing`: its answer was no
 * completion and reported no error.
 */
export async function saveCallError(
  db: Tx,
  input: Sending & { error: string; limited?: boolean; nothing?: boolean },
): Promise<void> {
  await db
    .update(calls)
    .set({
      error: input.error.slice(0, 4000),
      failed: sql`${calls.failed} + 1`,
      limited: sql`${calls.limited} + ${input.limited ? 1 : 0}`,
      ...(input.nothing && { outcome: sql`jsonb_build_object('nothing', ${nothings} + 1)` }),
    })
    .where(isLastSending(input));
}

/** How often an unanswered turn received nothing. */
const nothings = sql`coalesce((${calls.outcome}->>'nothing')::int, 0)`;

/**
 * How often a turn received nothing, and if the model answered another prompt since the turn was sent last. `window`:
 * most seconds that an answer takes.
 */
export async function readNothings(
  db: Tx,
  { trialId, turn, window }: { trialId: string; turn: number; window: number },
): Promise<{ times: number; othersAnswered: boolean }> {
  const { rows } = await db.execute<{ times: number; othersAnswered: boolean }>(sql`
    select coalesce((own.outcome->>'nothing')::int, 0) as times,
      exists (
        select from calls other
        where other.model = own.model and other.answered_at > own.sent_at
          and other.sent_at > own.sent_at - ${window} * interval '1 second'
          and coalesce(other.outcome->>'finishReason', '') <> ${NOTHING}
      ) as "othersAnswered"
    from calls own where own.trial_id = ${trialId} and own.turn = ${turn} and own.answer is null`);
  return rows[0] ?? { times: 0, othersAnswered: false };
}

/** Stores why an answer was not used; the first reason stays. */
export async function saveUnused(
  db: Tx,
  { trialId, turn, why }: { trialId: string; turn: number; why: NonNullable<Call['unused']> },
): Promise<void> {
  await db
    .update(calls)
    .set({ unused: why })
    .where(and(eq(calls.trialId, trialId), eq(calls.turn, turn), isNull(calls.unused)));
}

interface Sending {
  trialId: string;
  turn: number;
  mark: string;
}

/** True for an unanswered turn whose last sending is this one. */
const isLastSending = ({ trialId, turn, mark }: Sending) =>
  and(
    eq(calls.trialId, trialId),
    eq(calls.turn, turn),
    isNull(calls.answer),
    sql`${calls.sentAt} = ${mark}::timestamptz`,
  );

/**
 * Stores that the model endpoint is down, with the latest reason, or up (null). If the endpoint went down or came back,
 * writes an event and returns true.
 */
export async function recordEndpoint(
  db: Tx,
  { researchId, down, why = 'it answers' }: { researchId: string; down: string | null; why?: string },
): Promise<boolean> {
  const kind = down === null ? 'endpoint-back' : 'endpoint-down';
  const [stored, reason] = [down === null ? null : cleanText(down), cleanText(down ?? why)];
  const event = eventsFrom({
    kind,
    rows: sql`select id, null::int, jsonb_build_object('why', ${reason}::text) from news`,
  });
  const rows = await db.execute(sql`
    with old as (
      select id, endpoint_down as reason from researches
      where id = ${researchId} and endpoint_down is distinct from ${stored}::text for no key update),
    changed as (
      update researches set endpoint_down = ${stored},
        updated_at = case when (old.reason is null) <> (${stored}::text is null) then now() else updated_at end
      from old where researches.id = old.id
      returning old.id, old.reason),
    news as (select id from changed where (reason is null) <> (${stored}::text is null))
    ${event} returning id`);
  return rows.rows.length > 0;
}
