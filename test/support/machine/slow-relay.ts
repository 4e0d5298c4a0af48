import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a port of this machine that takes its time. */
export interface SlowRelay {
  port: number;
  close(): void;
}

/** Relays connections to a local port, each byte later by so many milliseconds, in either direction. */
export async function startSlowRelay(options: { port: number; delayMs: number }): Promise<SlowRelay> {
  const { port, delayMs } = options;
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket): void => {
    const later = (work: () => void): void => void setTimeout(() => to.destroyed || work(), delayMs);
    from.on('data', (chunk) => later(() => to.write(chunk)));
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
    sockets.add(from);
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [near, far]) socket.setNoDelay();
    pass(near, far);
    pass(far, near);
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
