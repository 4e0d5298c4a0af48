import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Another program of the machine, which serves a page. */
export interface Neighbour {
  origin: string;
  /** Requests that it received, with their headers. */
  asked: IncomingMessage[];
  stop: () => void;
}

/** Serves one page on a free port of 127.0.0.1, for every path. */
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
