import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Secret } from '../../config/dashboard/secret.ts';
import { isLoopback, notLoopback } from '../../config/dashboard/loopback.ts';
import type { Settings } from '../../config/dashboard/settings.ts';
import { createPageCaches } from '../../db/reads/page/page-caches.ts';
import { createApp } from './app.ts';
import { createAnswerShare } from './answer/share-answers.ts';
import { createHostMatcher } from './access/require-known-host.ts';
import { openHub } from './live/hub.ts';
import type { AnyRoute } from './route.ts';
import { ROUTES } from './routes/table.ts';
import type { SteerOptions } from './steer/serve-steering.ts';
import { createTemporalWatch, type ReadBacklog } from './source/temporal-watch.ts';
import { openDatabaseSource } from './source/database-source.ts';

/** Limit of open connections. A person needs a few for each tab. */
const CONNECTIONS = 500;

export interface DashboardOptions {
  /** Absolute path of the folder of all state. */
  home: string;
  secret: Secret;
  /** Reads the settings. The dashboard calls it repeatedly: the database may move, and its tables may come later. */
  settings: () => Settings;
  /** Folder of the built page. */
  page: string;
  onError: (message: string) => void;
  /** Access to Temporal for a page that may steer; default: the page has no way to write. */
  steer?: SteerOptions;
  /** Reads the age of the oldest workflow task; default: this process has no access to Temporal. */
  readBacklog?: ReadBacklog;
  /** Resources to serve; default: all of them. */
  routes?: readonly AnyRoute[];
}

export interface Dashboard {
  host: string;
  port: number;
  /** Ends all connections and streams, then closes the hub and the database connections. */
  close: () => Promise<void>;
}

/**
 * Serves the dashboard of a home. If the configured port is taken, it listens on any free port. Throws if the page may
 * steer, and other machines reach its address.
 */
export async function createDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { host, port: wanted, allowHosts } = options.settings();
  let isOurs: (host: string) => boolean = () => false;
  if (options.steer && !isLoopback(host)) throw new Error(notLoopback(host));
  const source = openDatabaseSource(options.settings);
  const hub = openHub(source);
  const app = createApp({
    routes: ROUTES,
    steer: null,
    ...options,
    source,
    hub,
    caches: createPageCaches(),
    watch: createTemporalWatch(options.readBacklog ?? (() => Promise.resolve(null))),
    share: createAnswerShare(() => hub.version()),
    now: () => new Date(),
    isOurs: (name) => isOurs(name),
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  server.maxConnections = CONNECTIONS;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await hub.close();
    await source.close();
  };
  try {
    const { port, address } = await listenOn(server, host, wanted);
    // The name localhost may resolve to any address.
    if (options.steer && !isLoopback(address)) throw new Error(notLoopback(`${host}, which is ${address}`));
    isOurs = createHostMatcher({ host }, allowHosts);
    return { host, port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return server.address() as AddressInfo;
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listenOn(server, host, 0);
  }
}
