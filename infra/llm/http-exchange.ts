import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { type Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { SecureContext } from 'node:tls';
import { trustedCertificates } from '../network/certificates.ts';
import { type Environment, proxyFor } from '../network/proxy.ts';
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
 * it fails after 300 s without a header, too soon for a slow model, and does not limit the body. Each request opens a
 * new connection: a kept one that the other side has closed would look like an endpoint that is down. Redirects are not
 * followed, so that the key goes to no other host.
 */
export async function exchange(url: URL, post: Post, { maxBytes, env }: Options): Promise<HttpAnswer> {
  const { body, signal } = post;
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = {
    agent: agentFor(url, env, signal),
    method: 'POST',
    headers: { ...post.headers, 'accept-encoding': ACCEPTED_ENCODINGS },
    signal,
    ...contextFor(url, env),
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

/** The option of a request that states which certificates it trusts. */
function contextFor(url: URL, env: Environment): { secureContext?: SecureContext } {
  const secureContext = url.protocol === 'https:' ? trustedCertificates(env) : undefined;
  return secureContext === undefined ? {} : { secureContext };
}

/** The agent that sends a request through its proxy; false without a proxy. The signal ends a tunnel, too. */
function agentFor(url: URL, env: Environment, signal: AbortSignal): Agent | false {
  const proxy = proxyFor(url, env);
  if (proxy === null) return false;
  // Without user and password, which the agent would write into a debug log.
  const address = new URL(proxy.shown);
  const headers = proxy.login === null ? {} : { 'Proxy-Authorization': proxy.login };
  const options = { signal, headers, ...contextFor(proxy.url, env) };
  return url.protocol === 'https:' ? new HttpsProxyAgent(address, options) : new HttpProxyAgent(address, options);
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
