import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'drizzle-orm';
import { homePaths } from '../../../config/paths.ts';
import { connect, type Db } from '../../../db/connect.ts';
import { migrate } from '../../../db/migrate.ts';
import { SHARED_ROOT } from '../../../infra/postgres/data-folder.ts';
import { startPostgres } from '../../../infra/postgres/embedded.ts';
import { throwawayHome } from '../../support/servers.ts';

export interface Lineage {
  url: string;
  db: Db;
  close(): Promise<void>;
}

export interface Server {
  url: string;
  /** A migrated database of its own. */
  open(): Promise<Lineage>;
  /** Stops the server; what is open breaks. */
  halt(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A real Postgres for one test file. */
export async function startServer(): Promise<Server> {
  const home = await throwawayHome();
  const { postgres: dir, logs } = homePaths(home);
  const start = (port: number | null) => startPostgres({ dir, logFile: `${logs}/postgres.log`, port, durable: false });
  let server = await start(null);
  const url = server.url;
  return {
    url,
    open: async () => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const admin = connect(url, { max: 1, onError: () => undefined });
      await admin.db.execute(sql.raw(`create database ${name}`));
      await admin.close();
      const own = new URL(url);
      own.pathname = `/${name}`;
      await migrate(own.toString());
      const { db, close } = connect(own.toString(), { max: 4, onError: () => undefined });
      return { url: own.toString(), db, close };
    },
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
