import { eq, sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import {
  cutText,
  messagesOf,
  sharedWith,
  shownMessage,
  toolsIn,
  type ShownMessage,
  type ToolUse,
} from '../../../../view/page/conversation.ts';
import type { Tx } from '../../../connect.ts';
import { trials } from '../../../schema.ts';
import { readCalls, type CallRow } from '../../read-trial.ts';

/** One turn of a trial's conversation with a model. */
export interface CallPage {
  turn: number;
  model: string;
  /** Number of leading messages that are the same in the turn before: they are left out. */
  before: number;
  messages: ShownMessage[];
  answer: string | null;
  /** Tools that the answer called, from the messages of the next turn. */
  tools: ToolUse[];
  error: string | null;
  tokensIn: number | null;
  tokensOut: number | null;
  usd: number | null;
  seconds: number | null;
  repeated: number;
}

/** Model calls of a trial, in order; long texts are cut. Undefined for an unknown trial. */
export async function readCallsPage(
  db: Tx,
  { trialId }: { trialId: string },
): Promise<{ calls: CallPage[] } | undefined> {
  const known = await db.select({ id: trials.id }).from(trials).where(eq(trials.id, trialId));
  return known.length === 0 ? undefined : { calls: turnsOf(await readCalls(db, { trialId })) };
}

function turnsOf(calls: CallRow[]): CallPage[] {
  const messages = calls.map(({ request }) => messagesOf(request));
  return calls.map((call, index) => {
    const own = messages[index] ?? [];
    const next = messages[index + 1];
    const before = sharedWith(messages[index - 1] ?? [], own);
    return {
      turn: call.turn,
      model: call.model,
      before,
      messages: own.slice(before).map(shownMessage),
      answer: call.answer === null ? null : cutText(call.answer),
      tools: next ? toolsIn(next.slice(sharedWith(own, next))) : [],
      ...costOf(call),
    };
  });
}

const costOf = ({ error, tokensIn, tokensOut, usd, latencySeconds, repeated }: CallRow) => ({
  error,
  tokensIn,
  tokensOut,
  repeated,
  usd: finiteOrNull(usd),
  seconds: finiteOrNull(latencySeconds),
});

/** Totals of a trial's calls, and the outcome of the last one. */
interface CallTotals {
  usd: number | null;
  tokens: number | null;
  /** Last call in the form that `describeWaiting` reads, without the text of the answer. */
  last: { answer: string | null; error: string | null }[];
}

/** Totals of a trial's calls; a sum is null if there are no calls, or none with a price. */
export async function readCallTotals(db: Tx, { trialId }: { trialId: string }): Promise<CallTotals> {
  const { rows } = await db.execute<CallTotals & Record<string, unknown>>(sql`
    select sum(usd) as usd, sum(tokens_in + tokens_out)::float8 as tokens,
      coalesce((select json_agg(last) from (
        select case when answer is not null or answered_at is not null then '' end as answer, error
        from calls where trial_id = ${trialId}
        order by turn desc limit 1) last), '[]') as last
    from calls where trial_id = ${trialId}`);
  return rows[0] ?? { usd: null, tokens: null, last: [] };
}
