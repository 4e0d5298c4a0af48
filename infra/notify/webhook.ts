import { createHmac } from 'node:crypto';
import { secretPlace } from '../../domain/notify/secret.ts';
import type { SinkOf } from '../../domain/notify/sink.ts';
import { parseUrl, post } from './post.ts';
import { readSecret } from './read-secret.ts';
import type { SinkAdapter } from './sink-adapter.ts';

/** Signature of a message: HMAC-SHA-256 over the time in seconds, a dot, and the body. */
export const signatureOf = (key: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;

/** Posts a message as JSON, with its id, the time and a signature as headers. */
export const webhook: SinkAdapter<SinkOf<'webhook'>> = async (spec, notice, { env, now }) => {
  const isSecret = secretPlace(spec.url) !== null;
  const text = isSecret ? await readSecret(spec.url, env) : spec.url;
  const key = await readSecret(spec.key, env);
  const url = parseUrl(text);
  const body = JSON.stringify(notice);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const headers = {
    'x-perpetua-id': notice.id,
    'x-perpetua-timestamp': timestamp,
    'x-perpetua-signature': signatureOf(key, timestamp, body),
  };
  const secrets = isSecret ? [text, key] : [key];
  return {
    shown: [
      `POST ${isSecret ? spec.url : url.href}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      body,
    ],
    secrets,
    send: (signal) => post({ url, headers, body, allowPrivate: spec.allowPrivate, secrets, env, signal }),
  };
};
