import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connectionOptions } from '../network/connection.ts';
import type { Environment } from '../network/proxy.ts';
import { publicLookup, requirePublicHost, requirePublicName } from './private-address.ts';
import { redact } from './redact.ts';
import { LONGEST_ANSWER, SinkError } from './sink-adapter.ts';

interface Post {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string;
  allowPrivate: boolean;
  secrets: readonly string[];
  env: Environment;
  signal: AbortSignal;
}

/** The URL of a sink. Throws SinkError, which does not show it. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new SinkError('expected a URL that begins with https:// or http://, got another text, which is not shown');
}

/**
 * Posts a message; returns the answer in a few words. Without `allowPrivate`, it connects only to public addresses.
 * Redirects are not followed: they could lead to a private address. Throws SinkError for any answer except 2xx.
 */
export async function post({ url, headers, body, allowPrivate, secrets, env, signal }: Post): Promise<string> {
  if (!allowPrivate) requirePublicHost(url);
  const connection = connectionOptions(url, env, signal);
  // With a proxy, `lookup` would resolve the proxy's name.
  if (!allowPrivate && connection.agent) await requirePublicName(url.hostname);
  const guard = allowPrivate || connection.agent ? {} : { lookup: publicLookup };
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = { ...connection, ...guard, method: 'POST', headers: headersFor(url, headers, body), signal };
  return new Promise<string>((resolve, reject) => {
    const request = send(url, options);
    request.on('error', reject);
    request.on('response', (response) => {
      readBegin(response)
        .then((text) => resolve(answerOf(response, redact(text, secrets))))
        .catch(reject)
        .finally(() => request.destroy());
    });
    request.end(body);
  });
}

const headersFor = (url: URL, headers: Post['headers'], body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  'user-agent': 'perpetua',
  ...loginOf(url),
  ...headers,
});

/** Header with user and password of a URL; Node would send them undecoded. */
function loginOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const login = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/** The begin of an answer. The rest is not read. */
async function readBegin(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString('utf8');
      if (text.length > 4 * LONGEST_ANSWER) break;
    }
  } catch {
    // The status has arrived, and decides.
  }
  return text;
}

function answerOf({ statusCode = 0 }: IncomingMessage, text: string): string {
  const answer = text === '' ? `${statusCode}` : `${statusCode} ${text}`;
  if (statusCode >= 200 && statusCode < 300) return answer;
  if (statusCode >= 300 && statusCode < 400)
    throw new SinkError(
      `it answered ${statusCode}, a redirect, which is not followed; use the address that it leads to`,
    );
  throw new SinkError(`it answered ${answer}`);
}
