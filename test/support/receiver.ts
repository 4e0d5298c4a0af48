import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP server that records what it gets. */
export interface Receiver {
  url: string;
  requests: Received[];
  /** Its answer to all requests from now on. */
  answer: { status: number; body: string; headers?: OutgoingHttpHeaders };
  close: () => Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      receiver.requests.push({ path: request.url ?? '', headers: request.headers, body });
      const { status, body: text, headers = {} } = receiver.answer;
      response.writeHead(status, headers).end(text);
    });
  });
  const receiver: Receiver = {
    url: '',
    requests: [],
    answer: { status: 200, body: 'ok' },
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
