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
/** Headers of a request that the gateway sets itself, or that may name the caller or hold its key. */
const NOT_SENT = new Set([
  ...OF_CONNECTION,
  'host',
  'content-length',
  'accept-encoding',
  'expect',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'openai-organization',
  'openai-project',
  'x-goog-user-project',
  'forwarded',
  'via',
]);
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

/** The headers of a caller's request that go on to the endpoint. */
export const headersToSend = (headers: HeaderValues): Record<string, string | string[]> =>
  without(headers, (name) => NOT_SENT.has(name) || name.startsWith('x-forwarded-'));

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
