import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

const WAIT_MS = 3000;

/** Throws if this machine cannot reach itself at 127.0.0.1, where Postgres and Temporal listen. */
export async function requireLoopback(): Promise<void> {
  const server = createServer();
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1' });
    const late = AbortSignal.timeout(WAIT_MS);
    await once(socket, 'connect', { signal: late }).finally(() => socket.destroy());
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    throw new Error(
      'Expected to reach this machine at 127.0.0.1, where Postgres and Temporal listen; ' +
        `got ${name === 'AbortError' ? 'no answer' : (code ?? String(error))}. Bring the loopback interface up: ` +
        '`ip link set lo up`, and `ip addr add 127.0.0.1/8 dev lo` if it has no such address.',
      { cause: error },
    );
  } finally {
    server.close();
  }
}
