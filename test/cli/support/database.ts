import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inject } from 'vitest';
import { homePaths } from '../../../config/paths.ts';
import { connect, type Db } from '../../../db/connect.ts';
import { migrate } from '../../../db/migrate.ts';
import { SHARED_ROOT } from '../../../infra/postgres/data-folder.ts';
import { startPostgres } from '../../../infra/postgres/embedded.ts';
import { makeDatabase } from '../../support/database/make-database.ts';
import { throwawayHome } from '../../support/servers.ts';

export interface Lineage {
  url: string;
  db: Db;
  close(): Promise<void>;
}

export interface Server {
  /** URL of a database that is empty, and stays empty. */
  url: string;
  /** A migrated database of its own. */
  open(): Promise<Lineage>;
}

/** A Postgres of one file of tests, which may stop it. */
export interface OwnServer extends Server {
  /** Stops the server and breaks open connections. */
  halt(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The real Postgres that all files of tests share; each file opens databases of its own. */
export function sharedServer(): Server {
  const url = inject('sharedPostgres');
  return { url, open: () => openAt(url) };
}

/** Starts a real Postgres for one file of tests. */
export async function startServer(): Promise<OwnServer> {
  const home = await throwawayHome();
  const { postgres: dir, logs } = homePaths(home);
  const start = (port: number | null) => startPostgres({ dir, logFile: `${logs}/postgres.log`, port, durable: false });
  let server = await start(null);
  const url = server.url;
  return {
    url,
    open: () => openAt(url),
    halt: () => server.stop(),
    restart: async () => {
      server = await start(Number(new URL(url).port));
    },
    stop: async () => {
      await server.stop();
      if (dirname(dirname(server.dataDir)) === SHARED_ROOT) await rm(dirname(server.dataDir), { recursive: true });
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function openAt(server: string): Promise<Lineage> {
  const url = await makeDatabase(server);
  await migrate(url);
  const { db, close } = connect(url, { max: 4, onError: () => undefined });
  return { url, db, close };
}
