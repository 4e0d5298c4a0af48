import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as streamable from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { isOwnHost, isOwnOrigin } from '../../domain/mcp/own-host.ts';
import { refused } from '../errors.ts';
import { printNote } from '../io.ts';
import { createServer } from './create-server.ts';
import type { Session } from './session.ts';

const HOST = '127.0.0.1';

export interface HttpServer {
  port: number;
  close: () => Promise<void>;
}

/** Serves any number of clients on a port of the loopback address, until a signal. Port 0: any free port. */
export async function serveHttp(
  session: Session,
  { port, token: given }: { port: number; token: string | null },
): Promise<void> {
  const token = given ?? randomBytes(24).toString('hex');
  const server = await listen(createApp(session, token), port);
  printNote(session.io, `MCP server: http://${HOST}:${server.port}/mcp`);
  printNote(session.io, given === null ? `token: ${token}` : 'token: that of PERPETUA_MCP_TOKEN');
  await new Promise<void>((resolve) => {
    if (session.io.signal?.aborted) resolve();
    session.io.signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
}

/** The routes. Each request has a server of its own, so nothing is lost if the process dies. */
export function createApp(session: Session, token: string): Hono {
  const app = new Hono();
  app.use('*', async (c, next) => {
    if (!isOwnHost(c.req.header('host') ?? ''))
      return c.text('Expected 127.0.0.1 or localhost as host, to prevent requests of foreign web pages.\n', 403);
    if (!isOwnOrigin(c.req.header('origin') ?? null))
      return c.text('Expected no request of a web page from another host.\n', 403);
    if (isSameToken(c.req.header('authorization') ?? '', `Bearer ${token}`)) return next();
    return c.text('Expected the header "Authorization: Bearer TOKEN" with the token of this server.\n', 401, {
      'www-authenticate': 'Bearer',
    });
  });
  app.post('/mcp', (c) => answer(c, session));
  app.all('/mcp', (c) => c.text('Expected POST: this server keeps no sessions.\n', 405, { allow: 'POST' }));
  return app;
}

async function answer(c: Context, session: Session): Promise<Response> {
  const server = createServer(session);
  const transport = new streamable.WebStandardStreamableHTTPServerTransport();
  // A client that hangs up ends its call; the research goes on.
  c.req.raw.signal.addEventListener('abort', () => void server.close(), { once: true });
  await server.connect(transport);
  return transport.handleRequest(c.req.raw);
}

/** Compares without revealing by its duration how much is right. */
function isSameToken(received: string, expected: string): boolean {
  const [a, b] = [received, expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Listens on the loopback address. */
export async function listen(app: Hono, port: number): Promise<HttpServer> {
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? refused(`Expected a free port, but ${port} is in use. Give another --http.`)
          : error,
      ),
    );
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
