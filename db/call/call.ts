import { and, eq, isNull, sql } from 'drizzle-orm';
import { cleanJson, cleanText } from '../../domain/json/clean-text.ts';
import type { Tx } from '../connect.ts';
import { eventsFrom } from '../event/insert-events.ts';
import { calls, researches, trials } from '../schema.ts';
import { countEnded } from '../trial/count-ended.ts';

export type Call = typeof calls.$inferSelect;

/**
 * Notes that a request is about to be sent, and how much was known when it was made; counts one that was sent before and
 * never answered. What is stored is what is sent now: a later attempt knows more. Returns the mark of this sending, which
 * its answer must bear; null where the turn has its answer, or a later attempt of the same workflow run sent it: one that
 * slept meanwhile must not take the mark from it. Attempts of different runs have no order, the last one to ask has it.
 */
export async function beginCall(
  db: Tx,
  input: { trialId: string; turn: number; model: string; request: unknown; workflowRun: string; attempt: number },
): Promise<string | null> {
  const begun = db.$with('begun').as(
    db
      .insert(calls)
      .values(input)
      .onConflictDoUpdate({
        target: [calls.trialId, calls.turn],
        set: {
          // A request that ended in an error was answered; only a death in between buys one more.
          repeated: sql`${calls.repeated} + case when ${calls.error} is null then 1 else 0 end`,
          model: sql`excluded.model`,
          request: sql`excluded.request`,
          error: null,
          workflowRun: sql`excluded.workflow_run`,
          attempt: sql`excluded.attempt`,
          // Later than any before, whatever the clock did.
          sentAt: sql`greatest(clock_timestamp(), ${calls.sentAt} + interval '1 microsecond')`,
        },
        setWhere: sql`${calls.answer} is null and ${notBeforeTheLast}`,
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

/** Where none is known, the call was sent by a version that did not note it. */
const notBeforeTheLast = sql`(${calls.workflowRun} is distinct from excluded.workflow_run
  or coalesce(${calls.attempt}, 0) <= excluded.attempt)`;

/** The stored call of a turn. */
export async function findCall(db: Tx, input: { trialId: string; turn: number }): Promise<Call | undefined> {
  return (
    await db
      .select()
      .from(calls)
      .where(and(eq(calls.trialId, input.trialId), eq(calls.turn, input.turn)))
  )[0];
}

type Answer = Sending & { answer: string } & Pick<
    Call,
    'outcome' | 'tokensIn' | 'tokensOut' | 'usd' | 'latencySeconds'
  >;

/**
 * Stores the answer to a sending and adds what it cost to its research, in one statement. False where the turn has an answer
 * or was sent anew since: nothing is stored then, but what another sending than the stored one used is paid for all the same.
 */
export async function saveAnswer(db: Tx, input: Answer): Promise<boolean> {
  const { trialId, turn, mark, ...given } = input;
  // A paid answer is not lost for a character that Postgres refuses.
  const answer = { ...given, answer: cleanText(given.answer), outcome: cleanJson(given.outcome) };
  const saved = db.$with('saved').as(
    db
      .update(calls)
      .set({ ...answer, error: null, answeredAt: sql`now()` })
      .where(isOwn(input))
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

/** Notes that a sending failed; `limited` where the endpoint refused it as one too many. */
export async function saveCallError(db: Tx, input: Sending & { error: string; limited?: boolean }): Promise<void> {
  await db
    .update(calls)
    .set({
      error: input.error.slice(0, 4000),
      failed: sql`${calls.failed} + 1`,
      limited: sql`${calls.limited} + ${input.limited ? 1 : 0}`,
    })
    .where(isOwn(input));
}

/** Notes why an answer was not used; the first word stands. */
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

/** An unanswered turn of which this is the last sending. */
const isOwn = ({ trialId, turn, mark }: Sending) =>
  and(
    eq(calls.trialId, trialId),
    eq(calls.turn, turn),
    isNull(calls.answer),
    sql`${calls.sentAt} = ${mark}::timestamptz`,
  );

/** Marks the model endpoint as down (why) or up (null); true, and told, if that is news. */
export async function recordEndpoint(
  db: Tx,
  { researchId, down, why = 'it answers' }: { researchId: string; down: string | null; why?: string },
): Promise<boolean> {
  const kind = down === null ? 'endpoint-back' : 'endpoint-down';
  const [stored, reason] = [down === null ? null : cleanText(down), cleanText(down ?? why)];
  const rows = await db.execute(sql`
    with news as (
      update researches set endpoint_down = ${stored}, updated_at = now()
      where id = ${researchId} and (endpoint_down is null) <> (${stored}::text is null) returning id)
    ${eventsFrom({ kind, rows: sql`select id, null::int, jsonb_build_object('why', ${reason}::text) from news` })} returning id`);
  return rows.rows.length > 0;
}
