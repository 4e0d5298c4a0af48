import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { type Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { trustedCertificates } from '../certificates.ts';
import { type Environment, proxyFor } from '../proxy.ts';
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
  const headers = { ...post.headers, 'accept-encoding': ACCEPTED_ENCODINGS };
  const options = { agent: agentFor(url, env, signal), method: 'POST', headers, signal };
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

/** The agent of one request, which opens its connection or its tunnel through a proxy. The signal ends a tunnel, too. */
function agentFor(url: URL, env: Environment, signal: AbortSignal): Agent | false {
  const isTls = url.protocol === 'https:';
  const proxy = proxyFor(url, env);
  if (!isTls && proxy === null) return false;
  const secureContext = isTls || proxy?.url.protocol === 'https:' ? trustedCertificates(env) : undefined;
  const options = secureContext === undefined ? { signal } : { signal, secureContext };
  if (proxy === null) return new TlsAgent(options);
  return isTls ? new HttpsProxyAgent(proxy.url, options) : new HttpProxyAgent(proxy.url, options);
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
