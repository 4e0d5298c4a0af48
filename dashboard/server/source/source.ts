import type { Settings } from '../../../config/dashboard/settings.ts';
import { readUpFile } from '../../../config/up-file.ts';
import { connect, type Tx } from '../../../db/connect.ts';
import type { ReadDeps } from '../route.ts';
import { readOnly } from './read-only.ts';

/** With the one that listens, at most four connections. */
const CONNECTIONS = 3;

/** Where the dashboard reads. It follows a Postgres that comes back elsewhere. */
export interface Source {
  /** Reads in one transaction, so that what is told belongs together. Throws what Postgres says, or that there is none. */
  read<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** URL of the database, with its password; null while nothing says where it is. */
  url(): string | null;
  /** Where workflows are looked at, where it is known. */
  temporal(): ReadDeps['temporal'];
  /** Looks where the servers are now; cheap, to be called often. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing says where Postgres is. */
class NowhereError extends Error {
  readonly code = 'ECONNREFUSED';
}

/** `settings` are asked each time, since a stack that moves its Postgres writes them anew. */
export async function openSource(home: string, settings: () => Settings): Promise<Source> {
  let pool: ReturnType<typeof connect> | null = null;
  let url: string | null = null;
  let temporal: ReadDeps['temporal'] = null;

  async function refresh(): Promise<void> {
    // A file that cannot be read is told of by who writes it; what was known goes on.
    const up = await readUpFile(home).catch(() => null);
    if (up) {
      const { uiUrl, namespace } = up.temporal;
      temporal = uiUrl === null ? null : { uiUrl, namespace };
    }
    const next = settings().databaseUrl ?? up?.postgres.url ?? url;
    if (next === url || next === null) return;
    url = next;
    const old = pool;
    pool = connect(readOnly(next), { max: CONNECTIONS, onError: () => undefined });
    void old?.close().catch(() => undefined);
  }

  await refresh();
  return {
    read: (use) => {
      if (!pool) throw new NowhereError('nothing says where it is; start the stack with `npx perpetua up`');
      return pool.db.transaction(use, { isolationLevel: 'repeatable read', accessMode: 'read only' });
    },
    url: () => url && readOnly(url),
    temporal: () => temporal,
    refresh,
    close: async () => pool?.close(),
  };
}
