import { request, type IncomingMessage } from 'node:http';

/** Most bytes of one answer; a completion of 8,000 tokens with all its log-probabilities is about 2 MB. */
const MOST_BYTES = 64 * 2 ** 20;

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Sent as JSON. */
  body?: unknown;
}

export interface Answer {
  status: number;
  text: string;
}

/** Sends one request over a new connection to a unix socket and reads the answer. Rejects with the socket's error. */
export function exchangeOverSocket(socketPath: string, call: Call, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const data = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const headers = data && { 'Content-Type': 'application/json', 'Content-Length': data.length };
    const sent = request({
      socketPath,
      method: call.method,
      path: call.path,
      signal,
      agent: false,
      ...(headers && { headers }),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      read(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, text }),
        (error: Error) => {
          sent.destroy();
          reject(error);
        },
      );
    });
    sent.end(data);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`expected an answer of at most ${MOST_BYTES} bytes, got more`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True if an error means that no server listens on the socket. */
export const isServerAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');
