/** Headers of one connection, which do not go on to the next. */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers of a request that go on to the endpoint, and beginnings of further ones. */
const SENT = new Set([
  'accept',
  'accept-language',
  'content-type',
  'conversation_id',
  'http-referer',
  'idempotency-key',
  'openai-beta',
  'originator',
  'session-id',
  'session_id',
  'thread-id',
  'thread_id',
  'user-agent',
  'version',
  'x-app',
  'x-client-request-id',
  'x-goog-api-client',
  'x-request-id',
  'x-session-affinity',
  'x-title',
]);
const SENT_BEGINNINGS = ['anthropic-', 'x-claude-code-', 'x-codex-', 'x-openai-', 'x-stainless-'];
/** Headers of an answer that a caller does not receive: they name the account, or hold for another connection. */
const NOT_RETURNED = new Set([
  ...OF_CONNECTION,
  'set-cookie',
  'alt-svc',
  'openai-organization',
  'openai-project',
  'anthropic-organization-id',
]);

/** Values of headers, as Node gives them. */
export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The headers of a caller's request that go on to the endpoint. All others are dropped: they may hold a key of the
 * caller, and some gateways send the request, with the worker's key, to the address that a header names.
 */
export const headersToSend = (headers: HeaderValues): Record<string, string | string[]> =>
  without(headers, (name) => !SENT.has(name) && !SENT_BEGINNINGS.some((start) => name.startsWith(start)));

/** The headers of an answer that go on to the caller. */
export const headersToReturn = (headers: HeaderValues): Record<string, string | string[]> =>
  without(headers, (name) => NOT_RETURNED.has(name));

function without(headers: HeaderValues, isDropped: (name: string) => boolean): Record<string, string | string[]> {
  // A connection may name further headers of its own.
  const named = new Set(
    [headers.connection ?? []]
      .flat()
      .flatMap((value) => value.split(','))
      .map((name) => name.trim().toLowerCase()),
  );
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] =>
        entry[1] !== undefined && !isDropped(entry[0]) && !named.has(entry[0]),
    ),
  );
}
