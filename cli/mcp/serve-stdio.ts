import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer } from './create-server.ts';
import type { Session } from './session.ts';

/** Serves one client on stdin and stdout until it closes them, or until a signal. */
export async function serveStdio(session: Session): Promise<void> {
  const server = createServer(session);
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    session.io.signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
