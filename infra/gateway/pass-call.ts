import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallAnswer, CallRequest } from '../../domain/gateway/call.ts';
import { createMeter } from '../../domain/gateway/meter.ts';
import { isBusy, waitSeconds } from '../../domain/gateway/wait.ts';
import { retryAfterSeconds } from '../llm/errors.ts';
import { redactKey } from '../llm/key.ts';
import type { Exchange, GatewaySettings } from './exchange.ts';
import { passAnswer } from './pass-answer.ts';
import { isRedirect, type Prepared } from './pass-question.ts';
import { readStart } from './read-body.ts';
import { refuse } from './refuse.ts';
import { send, unpacked } from './send.ts';
import { movedRefusal, signalOf, unreachable } from './troubles.ts';

/** Most bytes of an answer that makes the gateway wait. */
const MOST_BUSY_BYTES = 64 * 1024;

export interface PreparedCall extends Prepared {
  call: CallRequest;
}

/** One try of a call: its row, and when it left (ms of the monotonic clock). */
interface Try {
  turn: number;
  left: number;
  tries: number;
}

/**
 * Passes a call. Each try is a row of the ledger before it leaves, and is completed after its answer. While the
 * endpoint is busy, the gateway waits as long as the caller stays connected. Rejects if the ledger fails.
 */
export async function passCall(exchange: Exchange, prepared: PreparedCall, settings: GatewaySettings): Promise<void> {
  const { response, caller } = exchange;
  const signal = signalOf(response);
  for (let tries = 1; ; tries += 1) {
    const begun = await caller.ledger.begin(prepared.call);
    if ('refused' in begun) return refuse(response, { status: 403, code: 'budget', message: begun.refused });
    const attempt: Try = { turn: begun.turn, left: performance.now(), tries };
    const answer = await reach({ exchange, attempt, signal }, prepared, settings);
    if (answer === null) return;
    const seconds = await secondsToWait({ exchange, attempt, answer }, prepared, settings);
    if (seconds === null) return passBody({ exchange, attempt, answer }, prepared);
    if (seconds === 'answered') return;
    settings.log(
      `model gateway: ${caller.role}: ${prepared.endpoint.shown} answered ${answer.statusCode}, ` +
        `waits ${seconds.toFixed(1)} s (try ${tries})`,
    );
    const isOpen = await sleep(seconds * 1000, true, { signal }).catch(() => false);
    if (!isOpen) return;
  }
}

/** Sends a call; null if there is no answer, or one that is not passed on. */
async function reach(
  { exchange, attempt, signal }: { exchange: Exchange; attempt: Try; signal: AbortSignal },
  prepared: PreparedCall,
  settings: GatewaySettings,
): Promise<IncomingMessage | null> {
  const { response, caller } = exchange;
  let answer: IncomingMessage;
  try {
    answer = await send({ ...prepared.outgoing, signal }, settings);
  } catch (error) {
    const { detail, refusal } = unreachable(prepared, error);
    const reason = signal.aborted ? 'the caller closed the connection before the answer' : detail;
    if (!signal.aborted) settings.log(`model gateway: ${caller.role}: ${detail}`);
    await caller.ledger.fail(attempt.turn, redactKey(reason, prepared.endpoint.key));
    refuse(response, refusal);
    return null;
  }
  if (!isRedirect(answer.statusCode)) return answer;
  answer.destroy();
  await endWith({ exchange, attempt }, prepared, { status: answer.statusCode ?? 0, body: '' });
  refuse(response, movedRefusal(prepared.rule));
  return null;
}

/** An answer to a try. */
interface Answered {
  exchange: Exchange;
  attempt: Try;
  answer: IncomingMessage;
}

/**
 * Seconds to wait for a busy endpoint. Null: the answer is to be passed. `answered`: the caller has received it, since
 * waiting would not help.
 */
async function secondsToWait(
  { exchange, attempt, answer }: Answered,
  prepared: PreparedCall,
  settings: GatewaySettings,
): Promise<number | 'answered' | null> {
  const status = answer.statusCode ?? 0;
  const retryAfter = retryAfterSeconds(new Headers(pick(answer, ['retry-after', 'retry-after-ms'])), Date.now());
  if (!isBusy(status, retryAfter)) return null;
  const text = await readStart(unpacked(answer).bytes, MOST_BUSY_BYTES).catch(() => '');
  const body = redactKey(text, prepared.endpoint.key);
  await endWith({ exchange, attempt }, prepared, { status, body });
  const seconds = waitSeconds({ status, retryAfter, body, tries: attempt.tries, jitter: settings.random() });
  if (seconds !== null) return seconds;
  exchange.response.writeHead(status, pick(answer, ['content-type'])).end(body);
  return 'answered';
}

const pick = ({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names
      .map((name) => [name, headers[name]])
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/** Passes the body of an answer, and completes its row before the caller sees the end. */
async function passBody({ exchange, attempt, answer }: Answered, prepared: PreparedCall): Promise<void> {
  const { response, caller } = exchange;
  const { endpoint, rule, call } = prepared;
  const status = answer.statusCode ?? 0;
  const meter = createMeter(rule, call);
  const isWhole = await passAnswer(answer, { response, key: endpoint.key, onBytes: (bytes) => meter.feed(bytes) });
  const { hasEnd, ...read } = meter.end(status);
  // Some clients close the connection at the last event, before its end.
  const cut = !isWhole && !hasEnd;
  try {
    await caller.ledger.end(attempt.turn, { status, ...read, latencySeconds: secondsSince(attempt.left), cut });
  } finally {
    if (isWhole) response.end();
    else response.destroy();
  }
}

/** Completes the row of an answer that is not passed through. */
async function endWith(
  { exchange, attempt }: { exchange: Exchange; attempt: Try },
  { rule, call }: PreparedCall,
  { status, body }: Pick<CallAnswer, 'status' | 'body'>,
): Promise<void> {
  const { usage } = createMeter(rule, call).end(status);
  const latencySeconds = secondsSince(attempt.left);
  await exchange.caller.ledger.end(attempt.turn, { status, body, usage, latencySeconds, cut: false });
}

const secondsSince = (ms: number): number => (performance.now() - ms) / 1000;
