import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Silence of the host, in ms, after which its data is forwarded: a program's end then arrives with its start. */
const QUIET_MS = 200;

/** Relays connections to a local port; collects what the server sends and forwards it once the server is silent. */
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
    let timer: NodeJS.Timeout | undefined;
    far.on('data', (chunk: Buffer) => {
      batch.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(() => {
        near.write(Buffer.concat(batch));
        batch = [];
      }, QUIET_MS);
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
