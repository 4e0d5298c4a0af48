// The relay of a run: copies bytes between a port of the run's loopback and the socket of the model gateway. A
// connection waits while the socket is absent, so that a worker's death is a pause for the agent. This file is copied
// into runs: it needs Node 18 and no other file.
//   node relay.mjs PORT SOCKET [READY]
// READY: a file that is written, with the port, when the relay listens. It also prints a line then. Port 0: a free one.
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const DIAL_EVERY_MS = 250;
/** Longest absence of the socket. */
const WAIT_MS = 600_000;
/** Most bytes of a caller that are kept while it waits. */
const MOST_KEPT_BYTES = 1024 * 1024;

const [port, socket, ready] = process.argv.slice(2);
if (!/^\d{1,5}$/.test(port ?? '') || socket === undefined) {
  console.error('expected a port and the path of a socket: node relay.mjs PORT SOCKET [READY]');
  process.exit(2);
}

/** Receives a caller that waits. A caller that leaves meanwhile is dropped: its request is not sent. */
function receive(caller) {
  const kept = [];
  let bytes = 0;
  const keep = (chunk) => {
    bytes += chunk.length;
    kept.push(chunk);
    if (bytes >= MOST_KEPT_BYTES) caller.pause();
  };
  const leave = () => caller.destroy();
  caller.on('error', leave);
  caller.on('data', keep);
  caller.on('end', leave);
  dial(caller, {
    until: performance.now() + WAIT_MS,
    onConnect: (gateway) => {
      caller.off('data', keep);
      caller.off('end', leave);
      for (const chunk of kept.splice(0)) gateway.write(chunk);
      join(caller, gateway);
    },
  });
}

/** Dials the socket until it answers; ends the caller's connection after the longest absence. */
function dial(caller, { until, onConnect }) {
  const gateway = connect({ path: socket, allowHalfOpen: true });
  const retry = () => {
    gateway.destroy();
    if (caller.destroyed) return;
    if (performance.now() > until) caller.destroy();
    else setTimeout(() => !caller.destroyed && dial(caller, { until, onConnect }), DIAL_EVERY_MS);
  };
  gateway.once('error', retry);
  gateway.once('connect', () => {
    gateway.off('error', retry);
    gateway.on('error', () => caller.destroy());
    if (caller.destroyed) gateway.destroy();
    else onConnect(gateway);
  });
}

/** Copies bytes both ways, at the pace of the slower side. If one side breaks, so does the other. */
function join(caller, gateway) {
  caller.on('close', () => gateway.destroySoon());
  gateway.on('close', () => caller.destroySoon());
  caller.pipe(gateway);
  gateway.pipe(caller);
}

// An error of one connection must not end the others.
process.on('uncaughtException', (error) => console.error(`relay: ${error.stack}`));
const server = createServer({ allowHalfOpen: true, noDelay: true }, receive);
server.on('error', (error) => {
  console.error(`relay: 127.0.0.1:${port}: ${error.message}`);
  if (!server.listening) process.exit(1);
});
server.listen(Number(port), '127.0.0.1', () => {
  const { port: chosen } = server.address();
  if (ready !== undefined) writeFileSync(ready, `${chosen}\n`);
  console.log(`relay ready at 127.0.0.1:${chosen}`);
});
