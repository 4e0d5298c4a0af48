import { EventEmitter, once } from 'node:events';
import type { TxStore } from '../../db/store.ts';
import {
  type CallAnswer,
  type CallRequest,
  type CallRole,
  type CallUsage,
  NO_USAGE,
} from '../../domain/gateway/call.ts';
import type { CallLimits } from '../../domain/gateway/limits.ts';
import { readAnswer } from '../../domain/gateway/conversation/read.ts';
import type { CallLedger } from '../../infra/gateway.ts';
import type { ActivityDeps } from '../deps.ts';

interface Caller {
  store: { call: Pick<TxStore['call'], 'beginGatewayCall' | 'endGatewayCall' | 'failGatewayCall'> };
  trialId: string;
  role: CallRole;
  limits: CallLimits;
  priceOf: ActivityDeps['models']['priceOf'];
}

/** A request whose answer is awaited. */
interface Sent extends Pick<CallRequest, 'protocol'> {
  mark: string;
  model: string;
  /** Estimated tokens of its input. */
  tokensIn: number;
}

/** As `llm` estimates tokens. Bytes are counted natively: an agent sends its whole conversation with each call. */
const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

/**
 * The ledger of one caller's calls for a trial; of an evaluator, in one scoring. An answer of the endpoint that reports
 * an error is stored as one.
 */
export function createCallLedger({ store, trialId, role, limits, priceOf }: Caller): CallLedger {
  const sent = new Map<number, Sent>();
  let scoring: number | 'new' | null = role === 'evaluator' ? 'new' : null;
  const settled = new EventEmitter();
  const begin = async (request: CallRequest): Promise<{ turn: number } | { refused: string } | { waits: true }> => {
    const model = request.model ?? '';
    const tokens = estimateTokens(request.body);
    const begun = await store.call.beginGatewayCall({
      trialId,
      role,
      scoring,
      limits,
      request,
      underWay: [...sent.keys()],
      lost: { tokens, usd: priceOf(model, tokens, 0) },
      isPriced: priceOf(model, 1, 1) !== null,
    });
    if ('refused' in begun || 'waits' in begun) return begun;
    scoring = begun.scoring;
    sent.set(begun.turn, { mark: begun.mark, protocol: request.protocol, model, tokensIn: tokens });
    return { turn: begun.turn };
  };
  const settling = async (turn: number, settle: (call: Sent) => Promise<void>): Promise<void> => {
    const call = sent.get(turn);
    if (!call) return;
    // Also after a failure: the answer is lost then, and an equal request uses the row again.
    await settle(call).finally(() => {
      sent.delete(turn);
      settled.emit('settled');
    });
  };
  const beginInTurn = async (request: CallRequest, signal?: AbortSignal) => {
    for (;;) {
      signal?.throwIfAborted();
      const underWay = sent.size;
      const begun = await begin(request);
      if (!('waits' in begun)) return begun;
      if (sent.size >= underWay) await once(settled, 'settled', signal === undefined ? {} : { signal });
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    begin: (request, signal) => {
      // One after the other: a request that is under way must be in `sent` before an equal one begins.
      const begun = last.then(() => beginInTurn(request, signal));
      last = begun.catch(() => undefined);
      return begun;
    },
    end: (turn, answer) =>
      settling(turn, async (call) => {
        const { mark, model } = call;
        const isError = answer.status >= 400;
        const usage = isError ? answer.usage : countTokens(call, answer);
        const usd = priceOf(model, usage.tokensIn, usage.tokensOut);
        if (isError) {
          const error = { ...answer, ...describe(answer, role) };
          await store.call.failGatewayCall({ trialId, turn, mark, usd, ...error });
        } else await store.call.endGatewayCall({ trialId, turn, mark, usd, ...answer, usage });
      }),
    fail: (turn, error) =>
      settling(turn, async ({ mark }) => {
        const none = { usage: NO_USAGE, usd: null, status: null, latencySeconds: null, withheld: null };
        await store.call.failGatewayCall({ trialId, turn, mark, error, ...none });
      }),
  };
}

/** Tokens of an answer; estimated if the endpoint reported none, or the answer broke off before its report. */
function countTokens({ protocol, tokensIn }: Sent, { usage, body }: CallAnswer): CallUsage {
  if (usage.tokensIn !== null && usage.tokensOut !== null) return usage;
  return {
    ...usage,
    tokensIn: usage.tokensIn ?? tokensIn,
    tokensOut: usage.tokensOut ?? estimateAnswer(protocol, body),
    estimated: true,
  };
}

/** Estimated tokens of what an answer says, without the frame of its protocol. */
function estimateAnswer(protocol: CallRequest['protocol'], body: string): number {
  const { text, reasoning, calls } = readAnswer(protocol, body);
  return estimateTokens([text, reasoning, ...calls.map(({ name, input }) => name + input)].join(''));
}

/** An endpoint's error. That of an evaluator's call may quote its prompt. */
function describe({ status, body }: CallAnswer, role: CallRole): { error: string; withheld: string | null } {
  const error = `the endpoint answered ${status}`;
  return role === 'evaluator' ? { error, withheld: body } : { error: `${error}: ${body}`, withheld: null };
}
