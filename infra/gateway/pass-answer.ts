import type { IncomingMessage, ServerResponse } from 'node:http';
import { headersToReturn } from '../../domain/gateway/headers.ts';
import { redactKey } from '../llm/key.ts';
import { createKeyFilter } from './key-filter.ts';
import { unpacked } from './send.ts';

/** The way of an answer. */
interface Passing {
  response: ServerResponse;
  key: string | null;
  /** Receives each piece before the caller does. */
  onBytes: (bytes: Buffer) => void;
}

/**
 * Passes an answer to the caller, at the pace of the slower side, without its last byte of HTTP: the caller of this
 * function ends the response. Returns false if either side broke off.
 */
export async function passAnswer(answer: IncomingMessage, { response, key, onBytes }: Passing): Promise<boolean> {
  const { bytes, wasPacked } = unpacked(answer);
  const filter = createKeyFilter(key);
  const pass = async (chunk: Buffer): Promise<void> => {
    if (chunk.length === 0) return;
    onBytes(chunk);
    if (!response.write(chunk)) await drained(response);
  };
  try {
    response.writeHead(answer.statusCode ?? 502, headersOf(answer, { key, wasPacked }));
    response.flushHeaders();
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      await pass(filter.feed(chunk));
      if (response.destroyed) return false;
    }
    await pass(filter.end());
    return true;
  } catch {
    return false;
  } finally {
    answer.destroy();
  }
}

function headersOf(answer: IncomingMessage, { key, wasPacked }: { key: string | null; wasPacked: boolean }) {
  const { 'content-encoding': encoding, 'content-length': length, ...headers } = headersToReturn(answer.headers);
  const ofBody = wasPacked
    ? {}
    : { ...(encoding && { 'content-encoding': encoding }), ...(length && { 'content-length': length }) };
  const clean = Object.entries({ ...headers, ...ofBody }).map(([name, value]) => [
    name,
    typeof value === 'string' ? redactKey(value, key) : value.map((each) => redactKey(each, key)),
  ]);
  return Object.fromEntries(clean) as Record<string, string | string[]>;
}

/** Resolves when a response can take more bytes, or has closed. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
