import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a port of this machine that takes its time. */
export interface SlowRelay {
  port: number;
  /** How often data came back after data went: the number of round trips, over all connections. */
  roundTrips(): number;
  close(): void;
}

/** Relays connections to a local port, each byte later by so many milliseconds, in either direction. */
export async function startSlowRelay(options: { port: number; delayMs: number }): Promise<SlowRelay> {
  const { port, delayMs } = options;
  const sockets = new Set<Socket>();
  let trips = 0;
  const pass = (from: Socket, to: Socket, onData: () => void): void => {
    const later = (work: () => void): void => void setTimeout(() => to.destroyed || work(), delayMs);
    from.on('data', (chunk) => {
      onData();
      later(() => to.write(chunk));
    });
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
    sockets.add(from);
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
