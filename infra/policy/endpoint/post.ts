import type { z } from 'zod';
import { cleanText } from '../../../domain/json/clean-text.ts';
import { exchange, type HttpAnswer } from '../../llm/http-exchange.ts';
import type { Environment } from '../../network/proxy.ts';
import { PolicyError } from '../../policy.ts';
import { parse } from '../errors.ts';

/** Most bytes of one answer; a completion of 8,000 tokens with all its log-probabilities is about 2 MB. */
const MOST_BYTES = 64 * 2 ** 20;
/** Most characters of a message. */
const MOST = 500;
/** Statuses of a wrong request; other statuses mean a wrong configuration. */
const REFUSED = [400, 413, 422];

interface PostRequest<T> {
  url: string;
  key: string | null;
  body: object;
  what: string;
  schema: z.ZodType<T>;
  /** Environment that names the proxy and the trusted certificates. */
  env: Environment;
}

/** Sends a POST request and checks the answer. Throws PolicyError. */
export async function post<T>({ url, key, body, what, schema, env }: PostRequest<T>, signal: AbortSignal): Promise<T> {
  const fail = (kind: 'down' | 'refused', message: string): PolicyError => {
    // Some servers repeat the key. It is replaced before the cut, since half a key would not match.
    const safe = key === null ? message : message.replaceAll(key, '[key]');
    const line = safe.replace(/\s+/g, ' ').trim();
    return new PolicyError(cleanText(line.length > MOST ? `${line.slice(0, MOST)}…` : line), { kind });
  };
  const answer = await send({ url, key, body, env }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw fail('down', `cannot reach ${url} for ${what} (check PERPETUA_POLICY_URL): ${String(error)}`);
  });
  const { status, body: text } = answer;
  if (status !== 200) {
    const hint = REFUSED.includes(status)
      ? ''
      : ' (check PERPETUA_POLICY_URL, PERPETUA_POLICY_KEY and search.proposer.base)';
    throw fail(REFUSED.includes(status) ? 'refused' : 'down', `${url} answered ${status} to ${what}${hint}: ${text}`);
  }
  const read = schema.safeParse(parse(text));
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const got = `${issue?.path.join('.') || 'the answer'}: ${issue?.message}`;
  throw fail(
    'down',
    `expected token ids and log-probabilities from ${url}, got ${got} ` +
      `(use a server that supports return_token_ids, such as vLLM from 0.10.2): ${text}`,
  );
}

const send = (
  { url, key, body, env }: Pick<PostRequest<unknown>, 'url' | 'key' | 'body' | 'env'>,
  signal: AbortSignal,
): Promise<HttpAnswer> =>
  exchange(
    new URL(url),
    {
      headers: { 'Content-Type': 'application/json', ...(key !== null && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
      signal,
    },
    { maxBytes: MOST_BYTES, env },
  );
