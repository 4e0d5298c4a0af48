// The half of the model gateway inside a run: copies bytes between a port of the run's loopback and a unix socket.
// A connection waits while the socket is absent, so that a worker's death is a pause for the agent.
//   node relay.mjs PORT SOCKET READY
// READY: file that is written once the port is open.
import { writeFileSync } from 'node:fs';
import net from 'node:net';

const [, , port, socket, ready] = process.argv;
const DIAL_MS = 250;
const WAIT_MS = 600_000;

const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
  client.on('error', () => client.destroy());
  dial(client, Date.now() + WAIT_MS);
});

function dial(client, until) {
  if (client.destroyed) return;
  const peer = net.connect({ path: socket, allowHalfOpen: true });
  const retry = () => {
    peer.destroy();
    if (Date.now() > until) client.destroy();
    else setTimeout(() => dial(client, until), DIAL_MS);
  };
  peer.once('error', retry);
  peer.once('connect', () => {
    peer.off('error', retry);
    for (const [one, other] of [
      [peer, client],
      [client, peer],
    ])
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    client.pipe(peer);
    peer.pipe(client);
  });
}

server.listen(Number(port), '127.0.0.1', () => writeFileSync(ready, ''));
