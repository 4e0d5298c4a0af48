import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { behave } from './behave.ts';
import { choose, type Script, type ScriptedRequest } from './behaviour.ts';

export interface ScriptedEndpointOptions {
  script: Script;
  /** Port; by default a free one. */
  port?: number;
  /** Called with each request before it is answered. */
  onRequest?: (request: ScriptedRequest) => void;
  /** Number of the first request, if the endpoint continues the count of an earlier one. */
  firstN?: number;
}

export interface ScriptedEndpoint {
  /** Value for OPENAI_BASE_URL; stays the same over `down` and `up`. */
  readonly url: string;
  readonly port: number;
  /** All requests so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Changes the script of later requests; a list starts with its first behaviour. */
  setScript(script: Script): void;
  /** Resolves once that many requests have come. */
  received(count: number): Promise<void>;
  /** Number of open connections. */
  connections(): Promise<number>;
  /** Closes the port and resets open connections: later ones are refused. */
  down(): Promise<void>;
  /** Opens the same port again. */
  up(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a real HTTP server on 127.0.0.1 that answers Chat Completions by a script and keeps the requests. */
export async function startScriptedEndpoint(options: ScriptedEndpointOptions): Promise<ScriptedEndpoint> {
  const requests: ScriptedRequest[] = [];
  const first = options.firstN ?? 1;
  let script = { current: options.script, from: first };
  let waiting: { count: number; resolve: () => void }[] = [];

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const text = await readText(incoming);
    if (!/^\/v1(?:beta)?\//.test(incoming.url ?? '')) {
      response.writeHead(404).end(`no such path: ${incoming.url}`);
      return;
    }
    if (incoming.url?.startsWith('/v1/models')) {
      response.end('{"object":"list","data":[]}');
      return;
    }
    const request = toRequest(incoming, text, first + requests.length);
    requests.push(request);
    options.onRequest?.(request);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    waiting = waiting.filter(({ count }) => requests.length < count);
    await behave(await choose(script.current, request.n - script.from + 1, request), request, response);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      // An error after the headers is a client that left, as tests intend. A script that throws is reported as 500.
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
  const { url: path = '', headers } = incoming;
  return { n, at: new Date().toISOString(), path, headers, text, body };
}
