import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';

/** Linux keeps 108 bytes of a socket's path, macOS 104, both with a zero at the end. Node cuts a longer path. */
const LONGEST_PATH = 103;
/** Random bytes in the name under which a socket is made, which is shorter than `llm.sock`. */
const DRAFT_BYTES = 3;
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
  const problem = socketPathProblem(path);
  if (problem !== null) throw new Error(problem);
  const draft = draftOf(path, randomBytes(DRAFT_BYTES));
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

/** The path under which a socket is made before it appears at its own. */
const draftOf = (path: string, name: Buffer): string => join(dirname(path), `.${name.toString('hex')}`);

/** Reason why no socket can be served at a path, with the remedy; null if it can. */
export function socketPathProblem(path: string): string | null {
  const bytes = Math.max(...[path, draftOf(path, Buffer.alloc(DRAFT_BYTES))].map((each) => Buffer.byteLength(each)));
  if (bytes <= LONGEST_PATH) return null;
  return (
    `expected a socket's path of at most ${LONGEST_PATH} bytes, got ${bytes}: ${path}; ` +
    'set PERPETUA_HOME to a shorter path'
  );
}
