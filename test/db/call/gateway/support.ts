import { sql } from 'drizzle-orm';
import { createCallLedger } from '../../../../activities/gateway/call-ledger.ts';
import type { Db } from '../../../../db/connect.ts';
import type { Store } from '../../../../db/store.ts';
import type { CallAnswer, CallRequest, CallRole } from '../../../../domain/gateway/call.ts';
import type { CallLimits } from '../../../../domain/gateway/limits.ts';

/** A request of Chat Completions with these messages. */
export const chat = (...messages: unknown[]): CallRequest => ({
  protocol: 'chat',
  path: '/v1/chat/completions',
  model: 'm',
  streams: false,
  body: JSON.stringify({ model: 'm', messages: messages.map((content) => ({ role: 'user', content })) }),
});

/** An answer that costs 10 tokens in and 5 out. */
export const answered = (given: Partial<CallAnswer> = {}): CallAnswer => ({
  status: 200,
  body: JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'ok' } }] }),
  usage: { tokensIn: 10, tokensOut: 5, tokensCached: 4, tokensReasoning: 2, estimated: false },
  latencySeconds: 0.5,
  cut: false,
  ...given,
});

/** A ledger of a new process; a token costs 0.01 USD. */
export const openLedger = (
  store: Store,
  trialId: string,
  {
    role = 'proposer',
    limits = {},
    isPriced = true,
  }: { role?: CallRole; limits?: CallLimits; isPriced?: boolean } = {},
) =>
  createCallLedger({
    store,
    trialId,
    role,
    limits,
    priceOf: (_, tokensIn, tokensOut) =>
      isPriced && tokensIn !== null && tokensOut !== null ? (tokensIn + tokensOut) / 100 : null,
  });

/** Turn of a call that must not be refused. */
export const turnOf = (begun: { turn: number } | { refused: string }): number => {
  if ('refused' in begun) throw new Error(`Expected a turn, got a refusal: ${begun.refused}`);
  return begun.turn;
};

/** Rows of a trial's calls, in order. */
export async function rowsOf(db: Db, trialId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await db.execute(sql`
    select turn, role, protocol, model, status, cut, error, tokens_in as "tokensIn", tokens_out as "tokensOut",
      tokens_cached as "tokensCached", tokens_reasoning as "tokensReasoning", estimated, usd, repeated, failed, limited,
      answered_at is not null as answered
    from calls where trial_id = ${trialId} order by turn`);
  return rows;
}
