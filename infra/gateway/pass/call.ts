import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallAnswer, NO_USAGE } from '../../../domain/gateway/call.ts';
import { createMeter, type Meter } from '../../../domain/gateway/meter.ts';
import { createUsageFilter } from '../../../domain/gateway/usage-filter.ts';
import { backOffSeconds } from '../../../domain/gateway/wait.ts';
import { redactKey } from '../../llm/key.ts';
import type { Exchange, GatewaySettings } from '../exchange.ts';
import { type Answered, endTry, nextStep, type PreparedCall, secondsSince, type Try } from './next-step.ts';
import { passAnswer, type Passage, UNREAD } from './answer.ts';
import { isRedirect } from './question.ts';
import { refuse, type Refusal } from '../refuse.ts';
import { send } from '../send.ts';
import { isBeforeContact, movedRefusal, signalOf, unreachable } from '../troubles.ts';

/**
 * Passes a call. Each try is a row of the ledger before it leaves, and is completed after its answer. While the
 * endpoint is busy, the gateway waits as long as the caller stays connected; while it cannot be reached, for ten
 * minutes at most. Rejects if the ledger fails.
 */
export async function passCall(exchange: Exchange, first: PreparedCall, settings: GatewaySettings): Promise<void> {
  const { response } = exchange;
  const signal = signalOf(response);
  const began = performance.now();
  let prepared = first;
  for (let tries = 1; ; tries += 1) {
    const begun = await beginUnlessLeft(exchange, prepared, signal);
    if (begun === null) return;
    if ('refused' in begun) return refuse(response, { status: 403, code: 'budget', message: begun.refused });
    const attempt: Try = { turn: begun.turn, left: performance.now(), tries };
    const answer = await reach({ exchange, attempt, signal }, prepared, settings);
    if (answer === null) return;
    if ('refusal' in answer) {
      const seconds = backOffSeconds({ tries, jitter: settings.random() });
      if (secondsSince(began) + seconds > settings.unreachableSeconds) return refuse(response, answer.refusal);
      if (!(await wait(seconds, signal))) return;
      continue;
    }
    const step = await nextStep({ exchange, attempt, answer }, prepared, settings);
    if (step.kind === 'pass') return passBody({ exchange, attempt, answer }, prepared);
    if (step.kind === 'answered') return;
    if (step.kind === 'change') {
      prepared = step.prepared;
      continue;
    }
    if (!(await wait(step.seconds, signal))) return;
  }
}

/** Begins a call in the ledger; null if the caller left before its turn came. */
async function beginUnlessLeft(
  { caller }: Exchange,
  { call }: PreparedCall,
  signal: AbortSignal,
): Promise<{ turn: number } | { refused: string } | null> {
  try {
    return await caller.ledger.begin(call, signal);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Waits; false if the caller has left. */
const wait = (seconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(seconds * 1000, true, { signal }).catch(() => false);

/** Sends a call. Null: no answer, or one that is not passed on. `refusal`: the endpoint cannot be reached. */
async function reach(
  { exchange, attempt, signal }: { exchange: Exchange; attempt: Try; signal: AbortSignal },
  prepared: PreparedCall,
  settings: GatewaySettings,
): Promise<IncomingMessage | { refusal: Refusal } | null> {
  const { response, caller } = exchange;
  let answer: IncomingMessage;
  try {
    answer = await send({ ...prepared.outgoing, body: Buffer.from(prepared.call.body), signal }, settings);
  } catch (error) {
    // The endpoint may have the request, and charge for it.
    if (signal.aborted) {
      await caller.ledger.end(attempt.turn, cutBefore(attempt));
      return null;
    }
    const { detail, refusal } = unreachable(prepared, error);
    settings.log(`model gateway: ${caller.role}: ${detail}`);
    await caller.ledger.fail(attempt.turn, redactKey(detail, prepared.endpoint.key));
    if (isBeforeContact(error)) return { refusal };
    refuse(response, refusal);
    return null;
  }
  if (!isRedirect(answer.statusCode)) return answer;
  answer.destroy();
  await endTry({ exchange, attempt }, { status: answer.statusCode ?? 0, body: '' });
  refuse(response, movedRefusal(prepared.rule));
  return null;
}

/** The answer to a caller that closed the connection before an answer came. */
const cutBefore = ({ left }: Try): CallAnswer => ({
  status: 0,
  body: '',
  usage: NO_USAGE,
  latencySeconds: secondsSince(left),
  cut: true,
});

/** Passes the body of an answer, and completes its row before the caller sees the end. */
async function passBody({ exchange, attempt, answer }: Answered, prepared: PreparedCall): Promise<void> {
  const { response, caller } = exchange;
  const { endpoint, rule, call } = prepared;
  const status = answer.statusCode ?? 0;
  const meter = createMeter(rule, call);
  const passage = passageOf(meter, prepared.asksForUsage);
  const isWhole = await passAnswer(answer, { response, key: endpoint.key, passage });
  const { hasEnd, ...read } = meter.end(status);
  // Some clients close the connection at the last event, before its end.
  const cut = !isWhole && !hasEnd;
  // If this fails, the connection breaks before the end of the answer, and the caller repeats the call.
  await caller.ledger.end(attempt.turn, { status, ...read, latencySeconds: secondsSince(attempt.left), cut });
  if (isWhole) response.end();
  else response.destroy();
}

function passageOf(meter: Meter, hidesUsage: boolean): Passage {
  const filter = hidesUsage ? createUsageFilter() : UNREAD;
  return {
    feed: (bytes) => {
      meter.feed(bytes);
      return filter.feed(bytes);
    },
    end: () => filter.end(),
    changesLength: hidesUsage,
  };
}
