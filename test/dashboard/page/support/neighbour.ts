import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Another program of the machine that serves a page of its own. */
export interface Neighbour {
  origin: string;
  /** What it was asked, with the headers that came. */
  asked: IncomingMessage[];
  stop: () => void;
}

/** Serves one page on a free port of 127.0.0.1, whatever is asked. */
export async function startNeighbour(body: string): Promise<Neighbour> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>another</title>${body}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
