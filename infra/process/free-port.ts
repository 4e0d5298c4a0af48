import { createServer } from 'node:net';

/** Ports below those of outgoing connections, so that a killed server finds its port free again. */
const QUIET = { from: 20_000, count: 10_000 };
const TRIES = 20;

/** Returns `preferred` if it is free on 127.0.0.1, else a quiet port, else any. Another process may take it first. */
export async function freePort(preferred: number | null, taken: readonly number[] = []): Promise<number> {
  if (preferred !== null && !taken.includes(preferred) && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = QUIET.from + Math.floor(Math.random() * QUIET.count);
    if (!taken.includes(port) && (await isFree(port))) return port;
  }
  for (;;) {
    const port = await listenOn(0);
    if (!taken.includes(port)) return port;
  }
}

/** True if no process listens on the port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  try {
    return (await listenOn(port)) === port;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function listenOn(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
