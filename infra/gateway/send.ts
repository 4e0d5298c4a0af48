import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, constants } from 'node:zlib';
import { connectionOptions } from '../network/connection.ts';
import type { Environment } from '../network/proxy.ts';

/** A request to an endpoint. */
export interface Outgoing {
  url: URL;
  method: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
  signal: AbortSignal;
}

interface SendOptions {
  /** Environment that names the proxy and the trusted certificates. */
  env: Environment;
  /** Seconds without a byte after which a request fails. */
  idleSeconds: number;
}

/**
 * Sends a request and returns the answer once its headers are there. Rejects with the socket's error, ProxyError or
 * CertificateError. Redirects are not followed, so that the key goes to no other host.
 */
export async function send(outgoing: Outgoing, { env, idleSeconds }: SendOptions): Promise<IncomingMessage> {
  const { url, method, headers, body, signal } = outgoing;
  const open = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const request = open(url, {
      ...connectionOptions(url, env, signal),
      method,
      headers: { ...headers, ...length, 'accept-encoding': 'identity' },
      signal,
    });
    request.setSocketKeepAlive(true, 30_000);
    request.setTimeout(idleSeconds * 1000, () => request.destroy(new Error(`no byte within ${idleSeconds} s`)));
    // Also called after the headers: the answer reports such an error itself.
    request.on('error', reject);
    request.on('response', resolve);
    request.end(body);
  });
}

/** An answer's bytes without compression. */
export interface Unpacked {
  bytes: Readable;
  /** True if the answer was compressed although the request forbids it. */
  wasPacked: boolean;
}

/** Unpacks an answer as it passes, since compressed bytes hide their usage. */
export function unpacked(answer: IncomingMessage): Unpacked {
  const unpacker = unpackerOf(answer.headers['content-encoding']);
  if (unpacker === null) return { bytes: answer, wasPacked: false };
  answer.on('error', (error) => unpacker.destroy(error));
  unpacker.on('close', () => answer.destroy());
  return { bytes: answer.pipe(unpacker), wasPacked: true };
}

/** Null without compression, or for one that is not known. */
function unpackerOf(encoding: string | undefined) {
  // Each piece of a stream is passed on as soon as it is there.
  const options = { flush: constants.Z_SYNC_FLUSH };
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(options);
  if (encoding === 'deflate') return createInflate(options);
  return encoding === 'br' ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }) : null;
}
