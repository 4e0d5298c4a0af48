import { connect } from 'node:net';

const LIMIT_MS = 1000;

/**
 * Returns the reason why nothing listens at an address of this machine; null if a server listens. The Temporal client
 * would need seconds to find that out. Null also for another machine, which may be reachable only by a proxy.
 */
export async function probeLocalAddress(address: string): Promise<string | null> {
  const match = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\]):(\d+)$/.exec(address);
  const [host, port] = [match?.[1]?.replace(/[[\]]/g, ''), Number(match?.[2])];
  if (host === undefined) return null;
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (why: string | null) => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(LIMIT_MS, () => end('no answer'));
    socket.once('connect', () => end(null));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
