import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bytes of bodies that one caller makes the worker hold, and their limits. */
export interface BodyRoom {
  held: number;
  mostHeld: number;
  /** Most bytes of one body. */
  most: number;
}

/**
 * Reads the body of a request. Its bytes take room until the response closes. Returns `large` for a body over the
 * limit, and `full` if the caller has too many bytes in other requests.
 */
export async function readBodyInto(
  room: BodyRoom,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<Buffer | 'large' | 'full'> {
  if (Number(request.headers['content-length'] ?? 0) > room.most) return 'large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('close', () => (room.held -= bytes));
  // The connection stays open after a break, for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (response.destroyed) break;
    bytes += chunk.length;
    room.held += chunk.length;
    if (bytes > room.most) return 'large';
    if (room.held > room.mostHeld) return 'full';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The start of an answer's body, as a text. Reads no more than that. */
export async function readStart(answer: AsyncIterable<Buffer>, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
}
