import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { startSlowRelay } from '../../../../support/machine/slow-relay.ts';

/** What says again what it hears, as far away as a host behind a slow relay. */
export interface Echo {
  /** Sends a byte and waits for it, in ms. */
  roundTrip(): Promise<number>;
  close(): void;
}

/** `delayMs`: of each byte, one way. */
export async function startEcho(delayMs: number): Promise<Echo> {
  const server = createServer(
    (socket) =>
      void socket
        .setNoDelay()
        .on('error', () => socket.destroy())
        .pipe(socket),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay = await startSlowRelay({ port: (server.address() as AddressInfo).port, delayMs });
  const socket = connect({ port: relay.port, host: '127.0.0.1' }).setNoDelay();
  await once(socket, 'connect');
  return {
    roundTrip: async () => {
      const begun = performance.now();
      socket.write('.');
      await once(socket, 'data');
      return performance.now() - begun;
    },
    close: () => {
      socket.destroy();
      relay.close();
      server.close();
    },
  };
}
