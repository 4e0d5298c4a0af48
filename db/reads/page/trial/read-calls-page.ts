import { eq, sql } from 'drizzle-orm';
import type { CallRole } from '../../../../domain/gateway/call.ts';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import { showConversation, type ShownCall } from '../../../../view/page/conversation.ts';
import { describeMarks } from '../../../../view/trial/conversation.ts';
import { describePromptSizes } from '../../../../view/trial/prompt-sizes.ts';
import type { Tx } from '../../../connect.ts';
import { trials } from '../../../schema.ts';
import { readCalls, type CallRow } from '../../read-trial.ts';

/** One turn of a trial's conversation with a model. */
export interface CallPage extends ShownCall {
  turn: number;
  role: CallRole;
  model: string;
  error: string | null;
  status: number | null;
  tokensIn: number | null;
  tokensOut: number | null;
  tokensCached: number | null;
  tokensReasoning: number | null;
  usd: number | null;
  seconds: number | null;
  repeated: number;
  /** Repetitions, failures, an answer that broke off, and estimated tokens, in words. */
  marks: string[];
  /** Tokens of the parts of the prompt, in words. */
  parts: string | null;
}

/** Model calls of a trial, in order; long texts are cut. Undefined for an unknown trial. */
export async function readCallsPage(
  db: Tx,
  { trialId }: { trialId: string },
): Promise<{ calls: CallPage[] } | undefined> {
  const known = await db.select({ id: trials.id }).from(trials).where(eq(trials.id, trialId));
  if (known.length === 0) return undefined;
  const read = showConversation(await readCalls(db, { trialId }));
  return { calls: read.map(({ call, shown }) => ({ ...shown, ...factsOf(call) })) };
}

const factsOf = (call: CallRow) => ({
  turn: call.turn,
  role: call.role,
  model: call.model,
  error: call.error,
  status: call.status,
  tokensIn: call.tokensIn,
  tokensOut: call.tokensOut,
  tokensCached: call.tokensCached,
  tokensReasoning: call.tokensReasoning,
  usd: finiteOrNull(call.usd),
  seconds: finiteOrNull(call.latencySeconds),
  repeated: call.repeated,
  marks: describeMarks(call),
  parts: call.promptSizes && describePromptSizes(call.promptSizes),
});

/** Totals of a trial's calls, and the outcome of its proposer's last one. */
interface CallTotals {
  usd: number | null;
  tokens: number | null;
  /** Last call of the proposer in the form that `describeWaiting` reads, without the text of the answer. */
  last: { answer: string | null; error: string | null }[];
}

/** Totals of a trial's calls; a sum is null if there are no calls, or none with a price. */
export async function readCallTotals(db: Tx, { trialId }: { trialId: string }): Promise<CallTotals> {
  const { rows } = await db.execute<CallTotals & Record<string, unknown>>(sql`
    select sum(usd) as usd, sum(tokens_in + tokens_out)::float8 as tokens,
      coalesce((select json_agg(last) from (
        select case when answer is not null or answered_at is not null then '' end as answer, error
        from calls where trial_id = ${trialId} and role = 'proposer'
        order by turn desc limit 1) last), '[]') as last
    from calls where trial_id = ${trialId}`);
  return rows[0] ?? { usd: null, tokens: null, last: [] };
}
