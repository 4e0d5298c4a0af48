import type { IncomingMessage, ServerResponse } from 'node:http';
import { headersToReturn } from '../../../domain/gateway/headers.ts';
import { redactKey } from '../../llm/key.ts';
import { createKeyFilter } from '../key-filter.ts';
import { unpacked } from '../send.ts';

/** Reads an answer on its way, and returns what the caller receives. */
export interface Passage {
  feed: (bytes: Buffer) => Buffer | string;
  end: () => Buffer | string;
  /** True if the caller may receive fewer bytes than the endpoint sent. */
  changesLength: boolean;
}

/** The receiving end of an answer. */
interface Receiver {
  response: ServerResponse;
  key: string | null;
  passage: Passage;
}

/** The passage of an answer that nobody reads. */
export const UNREAD: Passage = { feed: (bytes) => bytes, end: () => '', changesLength: false };

/**
 * Passes an answer to the caller, at the pace of the slower side, without its last byte of HTTP: the caller of this
 * function ends the response. Returns false if either side broke off.
 */
export async function passAnswer(answer: IncomingMessage, { response, key, passage }: Receiver): Promise<boolean> {
  const { bytes, wasPacked } = unpacked(answer);
  const filter = createKeyFilter(key);
  const keepsLength = !wasPacked && !passage.changesLength;
  const pass = async (piece: Buffer | string): Promise<void> => {
    if (piece.length > 0 && !response.write(piece)) await drained(response);
  };
  try {
    response.writeHead(answer.statusCode ?? 502, headersOf(answer, { key, wasPacked, keepsLength }));
    response.flushHeaders();
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      await pass(passage.feed(filter.feed(chunk)));
      if (response.destroyed) return false;
    }
    await pass(passage.feed(filter.end()));
    await pass(passage.end());
    return true;
  } catch {
    return false;
  } finally {
    answer.destroy();
  }
}

/** Headers for the caller, without those that do not hold for what it receives. */
function headersOf(
  answer: IncomingMessage,
  { key, wasPacked, keepsLength }: { key: string | null; wasPacked: boolean; keepsLength: boolean },
): Record<string, string | string[]> {
  const headers = headersToReturn(answer.headers);
  if (wasPacked) delete headers['content-encoding'];
  if (!keepsLength) delete headers['content-length'];
  for (const [name, value] of Object.entries(headers))
    headers[name] = typeof value === 'string' ? redactKey(value, key) : value.map((each) => redactKey(each, key));
  return headers;
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
