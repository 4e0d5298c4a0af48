import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connectionOptions } from '../network/connection.ts';
import type { Environment } from '../network/proxy.ts';
import { ACCEPTED_ENCODINGS, BodyTooLargeError, unpack } from './unpack.ts';

/** A complete answer. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: string;
}

export interface Post {
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}

interface Options {
  /** Most bytes of the unpacked answer. */
  maxBytes: number;
  /** Environment that names the proxy and the trusted certificates. */
  env: Environment;
}

/**
 * Posts one request, through the proxy of the environment, and reads the whole answer, unpacked. Rejects with the
 * socket's error, {@link BodyTooLargeError}, EncodingError, ProxyError or CertificateError. Node's fetch does not fit:
 * it fails after 300 s without a header, too soon for a slow model, and does not limit the body. Redirects are not
 * followed, so that the key goes to no other host.
 */
export async function exchange(url: URL, post: Post, { maxBytes, env }: Options): Promise<HttpAnswer> {
  const { body, signal } = post;
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = {
    ...connectionOptions(url, env, signal),
    method: 'POST',
    headers: { ...post.headers, 'accept-encoding': ACCEPTED_ENCODINGS },
    signal,
  };
  return await new Promise<HttpAnswer>((resolve, reject) => {
    const request = send(url, options);
    request.on('error', reject);
    request.on('response', (response) => {
      readBody(response, maxBytes).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: toHeaders(response), body: text }),
        (error: Error) => {
          request.destroy();
          reject(error);
        },
      );
    });
    request.end(body);
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes);
    chunks.push(chunk);
  }
  const body = await unpack(Buffer.concat(chunks), response.headers['content-encoding'] ?? null, maxBytes);
  return body.toString('utf8');
}

function toHeaders(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
