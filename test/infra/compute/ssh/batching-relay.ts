import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** How long words of a host are gathered, in ms: more than it takes to run a program there. */
const BATCH_MS = 200;

/** Relays connections to a local port; what that says is passed on in few pieces, each of all that it said meanwhile. */
export async function startBatchingRelay(port: number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ port, host: '127.0.0.1' });
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => socket.destroy());
    }
    near.pipe(far);
    let batch: Buffer[] = [];
    far.on('data', (chunk: Buffer) => {
      batch.push(chunk);
      if (batch.length > 1) return;
      setTimeout(() => {
        near.write(Buffer.concat(batch));
        batch = [];
      }, BATCH_MS);
    });
    near.on('close', () => far.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
