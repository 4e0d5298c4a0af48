import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A slow relay to a port of this machine. */
export interface SlowRelay {
  port: number;
  /** Number of round trips over all connections: data came back after data went. */
  roundTrips(): number;
  close(): void;
}

/** Relays connections to a local port, each byte later by so many milliseconds, in either direction. */
export async function startSlowRelay(options: { port: number; delayMs: number }): Promise<SlowRelay> {
  const { port, delayMs } = options;
  const sockets = new Set<Socket>();
  let trips = 0;
  const pass = (source: Socket, target: Socket, onData: () => void): void => {
    const later = (work: () => void): void => void setTimeout(() => target.destroyed || work(), delayMs);
    source.on('data', (chunk) => {
      onData();
      later(() => target.write(chunk));
    });
    source.on('end', () => later(() => target.end()));
    source.on('error', () => target.destroy());
    source.on('close', () => sockets.delete(source));
    sockets.add(source);
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [near, far]) socket.setNoDelay();
    let isOut = false;
    pass(near, far, () => (isOut = true));
    pass(far, near, () => {
      if (isOut) trips += 1;
      isOut = false;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    roundTrips: () => trips,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
