import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { behave } from './behave.ts';
import { choose, type Script, type ScriptedRequest } from './behaviour.ts';

export interface ScriptedEndpointOptions {
  script: Script;
  /** By default a free one. */
  port?: number;
  /** Told of each request before it is answered. */
  onRequest?: (request: ScriptedRequest) => void;
  /** The number of the first request, for one that continues another's count. */
  firstN?: number;
}

export interface ScriptedEndpoint {
  /** For OPENAI_BASE_URL; stays the same over `down` and `up`. */
  readonly url: string;
  readonly port: number;
  /** All requests so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Changes what later requests get; the count of a list starts anew. */
  setScript(script: Script): void;
  /** Resolves once that many requests have come. */
  received(count: number): Promise<void>;
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** Closes the port and resets what is open: connections are refused from here on. */
  down(): Promise<void>;
  /** Opens the same port again. */
  up(): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTP server on 127.0.0.1 that speaks Chat Completions by a script and keeps what it was asked. */
export async function startScriptedEndpoint(options: ScriptedEndpointOptions): Promise<ScriptedEndpoint> {
  const requests: ScriptedRequest[] = [];
  const first = options.firstN ?? 1;
  let script = { current: options.script, from: first };
  let waiting: { count: number; resolve: () => void }[] = [];

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const text = await readText(incoming);
    if (!incoming.url?.startsWith('/v1/')) return void response.writeHead(404).end(`no such path: ${incoming.url}`);
    if (incoming.url.startsWith('/v1/models')) return void response.end('{"object":"list","data":[]}');
    const request = toRequest(incoming, text, first + requests.length);
    requests.push(request);
    options.onRequest?.(request);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    waiting = waiting.filter(({ count }) => requests.length < count);
    await behave(await choose(script.current, request.n - script.from + 1, request), request, response);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      // A client that left is part of the game; a script that throws is answered, so that its test fails with it.
      if (!response.headersSent) response.writeHead(500).end(`the script failed: ${String(error)}`);
    });
  });
  server.keepAliveTimeout = 1000;

  const up = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const down = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  await up(options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    setScript: (next) => (script = { current: next, from: first + requests.length }),
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    down,
    up: () => up(port),
    close: down,
  };
}

function toRequest(incoming: IncomingMessage, text: string, n: number): ScriptedRequest {
  const body = JSON.parse(text) as ScriptedRequest['body'];
  return { n, at: new Date().toISOString(), headers: incoming.headers, text, body };
}
