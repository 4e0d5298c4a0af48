import { LlmError, type LlmErrorKind } from '../llm.ts';
import { DeadlineError } from './deadline.ts';
import type { HttpAnswer } from './http-exchange.ts';
import { BodyTooLargeError, EncodingError } from './unpack.ts';
import { parseJson } from './form/texts.ts';
import type { ReportedError } from './reported-error.ts';
import { CertificateError } from '../network/certificates.ts';
import { ProxyError } from '../network/proxy.ts';
import { cleanText } from '../../domain/json/clean-text.ts';

/** Most characters of a message, so that an HTML page does not fill it. */
const MAX_MESSAGE = 500;

/** Statuses below 500 for which a retry may succeed: timeout, conflict, too early, rate limit. */
const HEALING = [408, 409, 425, 429];

/** Codes of the socket, such as ECONNREFUSED, ENOTFOUND and EAI_AGAIN, but not Node's own ERR_…. */
const SOCKET_ERROR = /^E(?!RR_)|^ERR_STREAM_PREMATURE_CLOSE$/;

const CHECK_REQUEST = 'check the model and the keys of llm';

/** An endpoint as messages name it, and the variables that set it. */
export interface NamedEndpoint {
  shown: string;
  variables: { baseUrl: string; apiKey: string };
}

const ADVICE: Record<number, (variables: NamedEndpoint['variables']) => string> = {
  400: () => CHECK_REQUEST,
  401: ({ apiKey }) => `check ${apiKey}; to change it: npx perpetua down, set it, npm start`,
  402: () => 'check the credit of the account',
  403: ({ apiKey }) => `check what ${apiKey} may do`,
  404: ({ baseUrl }) => `check ${baseUrl} and the name of the model`,
  407: () => 'check the user and the password in the address of the proxy',
  413: () => 'the request is too large: shorten the prompt',
  422: () => CHECK_REQUEST,
  429: () => 'rate limit or no credit: wait, or ask for fewer proposals at a time',
};

/** Error for an answer whose status means failure. */
export function endpointError({ shown, variables }: NamedEndpoint, { status, headers, body }: HttpAnswer): LlmError {
  const isMoved = status >= 300 && status < 400;
  const meant = meantStatus(status, body);
  const advice = isMoved
    ? `it moved to ${targetOf(headers.get('location'), shown)}: change ${variables.baseUrl}`
    : adviceFor(meant, variables);
  // The body of a redirect only repeats the location.
  const reason = isMoved ? '' : `: ${reasonOf(body)}`;
  return new LlmError(`${shown} answered ${status} (${advice})${reason}`, {
    kind: kindOf(meant),
    status: meant,
    retryAfterSeconds: retryAfterSeconds(headers, Date.now()) ?? delayIn(body),
  });
}

/** Words of refusals that Anthropic and Gemini send as 400, although another request would be refused, too. */
const MEANT: readonly [RegExp, number][] = [
  [/credit balance is too low|insufficient.?(?:quota|balance|funds|credit)/i, 402],
  [/api.?key.{0,20}(?:not valid|invalid|expired|not found)|invalid.{0,5}api.?key/i, 401],
  [/location is not supported/i, 403],
];

/** The status by which a refusal is judged. */
const meantStatus = (status: number, body: string): number =>
  status === 400 ? (MEANT.find(([words]) => words.test(reasonOf(body)))?.[1] ?? status) : status;

/** Seconds that an error of Gemini asks to wait, which it writes into its body; null if it does not ask. */
function delayIn(body: string): number | null {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

/** Error for an answer with status 200 that reports a failure. */
export function reportedFailure(
  { shown, variables }: NamedEndpoint,
  reported: ReportedError,
  headers: Headers,
): LlmError {
  const { status, error } = reported;
  const reason = reported.message ?? JSON.stringify(error);
  return new LlmError(`${shown} answered 200 with an error (${adviceFor(status, variables)}): ${reason}`, {
    kind: kindOf(status),
    status,
    retryAfterSeconds: retryAfterSeconds(headers, Date.now()) ?? reported.retryAfterSeconds,
  });
}

const kindOf = (status: number): LlmErrorKind => (status >= 500 || HEALING.includes(status) ? 'down' : 'refused');

const adviceFor = (status: number, variables: NamedEndpoint['variables']): string =>
  ADVICE[status]?.(variables) ?? (status >= 500 ? 'this may be temporary: wait' : 'change the request');

/** Target of a redirect without query and user, which may contain a key. */
function targetOf(location: string | null, shown: string): string {
  if (location === null) return 'nowhere';
  try {
    const { protocol, host, pathname } = new URL(location, shown);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return 'a location that is no URL';
  }
}

/**
 * Seconds that the endpoint asked to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); null if
 * both are absent or unreadable, never negative. `nowMs`: milliseconds since the epoch.
 */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | null {
  const milliseconds = toNumber(headers.get('retry-after-ms'));
  if (milliseconds !== null) return milliseconds / 1000;
  const text = headers.get('retry-after');
  const seconds = toNumber(text);
  if (seconds !== null || text === null) return seconds;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - nowMs) / 1000);
}

function toNumber(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

/** Error for an answer that is no completion and reports no error. */
export function malformedError({ shown, variables }: NamedEndpoint, got: string, body: string): LlmError {
  const page = /<(?:!doctype|html|head|body)\b/i.test(body) ? pageText(body) : body;
  const said = page.trim() === '' ? '' : `: ${page}`;
  const message = `expected a chat completion from ${shown}, got ${got} (check ${variables.baseUrl})${said}`;
  return new LlmError(message, { kind: 'malformed', status: 200 });
}

/** The text of an HTML page, which says more in a short line than its markup. */
const pageText = (html: string): string =>
  html
    .replace(/<(script|style)\b[^]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .trim();

/** Error for a call without a usable answer: socket error, deadline, or an answer that is not HTTP or too large. */
export function transportError({ shown, variables }: NamedEndpoint, error: unknown): LlmError {
  if (error instanceof LlmError) return error;
  const text = textOf(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof DeadlineError)
    return new LlmError(`${shown}: ${text} (wait, or raise llm.deadlineSeconds)`, { kind: 'down', isLate: true });
  if (error instanceof BodyTooLargeError || error instanceof EncodingError)
    return failure('malformed', `${shown}: ${text}`);
  if (code.startsWith('HPE_')) return failure('malformed', `expected HTTP from ${shown}, got something else: ${text}`);
  if (SOCKET_ERROR.test(code))
    return failure('down', `cannot reach ${shown} (check ${variables.baseUrl}, and that it is up): ${text}`);
  if (error instanceof ProxyError || error instanceof CertificateError)
    return failure('refused', `cannot send to ${shown}: ${text}`);
  // A bad certificate, or an impossible request: a retry would fail again.
  return failure('refused', `cannot send to ${shown}: ${code} ${text}`);
}

/** Shortens an error's message to one line and removes the key, which some endpoints repeat. */
export function redactError(error: LlmError, key: string | null): LlmError {
  // Removes the key before the cut, since half a key would not match.
  const safe = key === null ? error.message : error.message.replaceAll(key, '[key]');
  const line = safe.replace(/\s+/g, ' ').trim();
  // Cleans after the cut, which may split a character.
  const message = cleanText(line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line);
  return new LlmError(message, error);
}

function failure(kind: LlmErrorKind, message: string): LlmError {
  return new LlmError(message, { kind });
}

function textOf(error: unknown): string {
  // A host with several addresses fails with an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The message in an error body of a usual shape, else the whole body. */
function reasonOf(body: string): string {
  const json = parseJson(body);
  const root = (Array.isArray(json) ? json[0] : json) as
    { error?: { message?: unknown } | string | null; message?: unknown; detail?: unknown } | null | undefined;
  const inner = typeof root?.error === 'object' ? root.error?.message : root?.error;
  const reason = inner ?? root?.message ?? root?.detail;
  return typeof reason === 'string' ? reason : body;
}
