import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { type CallAnswer, type CallRequest, NO_USAGE } from '../../../domain/gateway/call.ts';
import { isBusy, waitSeconds } from '../../../domain/gateway/wait.ts';
import { retryAfterSeconds } from '../../llm/errors.ts';
import { redactKey } from '../../llm/key.ts';
import type { Exchange, GatewaySettings } from '../exchange.ts';
import type { Prepared } from './question.ts';
import { readStart } from '../read-body.ts';
import { unpacked } from '../send.ts';

/** Most bytes of an error that are read before it is passed. */
const MOST_ERROR_BYTES = 64 * 1024;

/** A call, ready to be sent. */
export interface PreparedCall extends Prepared {
  call: CallRequest;
  /** The body that the caller sent. */
  sent: string;
  /** True if the gateway asked for usage, which the caller did not. */
  asksForUsage: boolean;
  /** True if the endpoint refused the same call with the request for usage. */
  refusedUsage?: boolean;
}

/** One try of a call: its row, and when it left (ms of the monotonic clock). */
export interface Try {
  turn: number;
  left: number;
  tries: number;
}

/** An answer to a try. */
export interface Answered {
  exchange: Exchange;
  attempt: Try;
  answer: IncomingMessage;
}

/** The step that follows from an answer. */
type Step =
  | { kind: 'pass' }
  /** The caller has received an answer that was read here. */
  | { kind: 'answered' }
  | { kind: 'wait'; seconds: number }
  | { kind: 'change'; prepared: PreparedCall };

/** Decides by the status, and by the body of an error that the gateway may heal. All others are passed. */
export async function nextStep(answered: Answered, prepared: PreparedCall, settings: GatewaySettings): Promise<Step> {
  const { exchange, attempt, answer } = answered;
  const { endpoint, call, asksForUsage } = prepared;
  const status = answer.statusCode ?? 0;
  const retryAfter = retryAfterSeconds(new Headers(pick(answer, ['retry-after', 'retry-after-ms'])), Date.now());
  // Learned only if it helped: callers can provoke an error that names the option.
  if (prepared.refusedUsage === true && status >= 200 && status < 300)
    settings.withoutUsage.add(usageKey(prepared, call.model));
  const mayRefuseUsage = asksForUsage && (status === 400 || status === 422);
  if (!isBusy(status, retryAfter) && !mayRefuseUsage) return { kind: 'pass' };
  const text = await readStart(unpacked(answer).bytes, MOST_ERROR_BYTES).catch(() => '');
  const body = redactKey(text, endpoint.key);
  await endTry(answered, { status, body });
  const log = (what: string): void =>
    settings.log(`model gateway: ${exchange.caller.role}: ${endpoint.shown} answered ${status}: ${what}`);
  if (mayRefuseUsage && /stream_options|include_usage/.test(body)) {
    log('sends no stream_options, and estimates tokens');
    return { kind: 'change', prepared: { ...withoutUsage(prepared), refusedUsage: true } };
  }
  const seconds = waitSeconds({ status, retryAfter, body, tries: attempt.tries, jitter: settings.random() });
  if (seconds !== null) {
    log(`waits ${seconds.toFixed(1)} s (try ${attempt.tries})`);
    return { kind: 'wait', seconds };
  }
  exchange.response.writeHead(status, pick(answer, ['content-type', 'x-request-id'])).end(body);
  return { kind: 'answered' };
}

/** The call as its caller sent it. */
export const withoutUsage = (prepared: PreparedCall): PreparedCall => ({
  ...prepared,
  call: { ...prepared.call, body: prepared.sent },
  asksForUsage: false,
});

/** Name of a model at an endpoint that refuses to report usage in streams. */
export const usageKey = ({ endpoint }: Pick<Prepared, 'endpoint'>, model: string | null): string =>
  `${endpoint.baseUrl} ${model}`;

const pick = ({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names
      .map((name) => [name, headers[name]])
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/** Completes the row of an error that is not passed through. */
export async function endTry(
  { exchange, attempt }: Omit<Answered, 'answer'>,
  { status, body }: Pick<CallAnswer, 'status' | 'body'>,
): Promise<void> {
  const latencySeconds = secondsSince(attempt.left);
  await exchange.caller.ledger.end(attempt.turn, { status, body, usage: NO_USAGE, latencySeconds, cut: false });
}

export const secondsSince = (ms: number): number => (performance.now() - ms) / 1000;
