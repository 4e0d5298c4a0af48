import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Another site on this machine, which must not get the dashboard's cookie. */
export interface OtherSite {
  origin: string;
  /** Requests that the site received, with their headers. */
  requests: IncomingMessage[];
  stop: () => void;
}

/** Serves one page on a free port of 127.0.0.1, for every path. */
export async function startOtherSite(body: string): Promise<OtherSite> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>another</title>${body}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
