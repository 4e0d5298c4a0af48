import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy that tunnels (CONNECT) every host to one port of this machine. */
export interface ConnectProxy {
  url: string;
  /** Targets that clients requested, as host:port, with the credentials that they sent. */
  requested: string[];
  close: () => void;
}

/** Starts a proxy whose tunnels all lead to `port`. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const requested: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connect', ({ url = '', headers }, incoming: Socket, head: Buffer) => {
    const credentials = headers['proxy-authorization']?.replace(/^Basic /, '') ?? '';
    requested.push(`${Buffer.from(credentials, 'base64').toString()}@${url}`);
    const outgoing = connect(port, '127.0.0.1', () => {
      incoming.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      outgoing.write(head);
      incoming.pipe(outgoing).pipe(incoming);
    });
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => (incoming.destroy(), outgoing.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://me:secret@127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
