import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
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

/**
 * Posts one request and reads the whole answer, unpacked, of at most `maxBytes`. Rejects with the socket's error, or
 * with {@link BodyTooLargeError}. Node's fetch does not fit: it fails after 300 s without a header, too soon for a slow
 * model, and does not limit the body. Each request opens a new connection: a kept one that the other side has closed
 * would look like an endpoint that is down. Redirects are not followed, so that the key goes to no other host.
 */
export async function exchange(url: URL, { headers, body, signal }: Post, maxBytes: number): Promise<HttpAnswer> {
  return await new Promise<HttpAnswer>((resolve, reject) => {
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    const request = send(url, {
      agent: false,
      method: 'POST',
      headers: { ...headers, 'accept-encoding': ACCEPTED_ENCODINGS },
      signal,
    });
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
