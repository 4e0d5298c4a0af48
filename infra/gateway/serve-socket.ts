import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';

/** Linux keeps 108 bytes of a socket's path, macOS 104, both with a zero at the end. Node cuts a longer path. */
const LONGEST_PATH = 103;
/** Most connections of one caller at once. */
const MOST_CONNECTIONS = 64;

export interface SocketOptions {
  /** Mode of the socket. The default lets each user of this machine connect who reaches its folder. */
  mode?: number;
}

export interface GatewaySocket {
  /** Number of requests in progress, waits for an endpoint included. */
  active: () => number;
  /** Aborts the requests in progress, records their end, and removes the socket. */
  close: () => Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves requests at a unix socket. The socket appears at its path with its mode, and replaces one that is there: that
 * of a process that died, or that still ends.
 */
export async function serveSocket(
  path: string,
  handle: Handler,
  { mode = 0o666 }: SocketOptions = {},
): Promise<GatewaySocket> {
  const draft = join(dirname(path), `.${randomBytes(4).toString('hex')}`);
  requireShort([path, draft]);
  const active = new Set<Promise<void>>();
  const answering = new WeakMap<object, ServerResponse>();
  const server = createServer((request, response) => {
    // Pipelined requests have no limit, and Node does not tell that their connection has closed.
    if (answering.get(request.socket)?.writableEnded === false) {
      request.socket.destroy();
      return;
    }
    answering.set(request.socket, response);
    const work = handle(request, response).finally(() => active.delete(work));
    active.add(work);
  });
  server.maxConnections = MOST_CONNECTIONS;
  // Agents keep connections. A connection that closes just as it is used again would be an error to them.
  server.keepAliveTimeout = 0;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.listen(draft);
  await once(server, 'listening');
  await chmod(draft, mode);
  const { ino } = await lstat(draft);
  await rename(draft, path);
  return {
    active: () => active.size,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await Promise.all(active);
      const there = await lstat(path).catch(() => null);
      // Another process may serve the path by now.
      if (there?.ino === ino) await rm(path, { force: true });
    },
  };
}

function requireShort(paths: string[]): void {
  for (const path of paths) {
    const length = Buffer.byteLength(path);
    if (length > LONGEST_PATH)
      throw new Error(
        `expected a socket's path of at most ${LONGEST_PATH} bytes, got ${length}: ${path}; ` +
          'set PERPETUA_HOME to a shorter path',
      );
  }
}
