import type { Settings } from '../../../config/dashboard/settings.ts';
import { readUpFile } from '../../../config/up-file.ts';
import { connect, type Tx } from '../../../db/connect.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import type { ReadDeps } from '../route.ts';

/** With the one that listens, at most four connections. */
const CONNECTIONS = 3;
/** Milliseconds after which the driver gives up a server that is frozen; one that answers ends its statements before. */
const FROZEN_MS = 8000;
/** A role that is not there yet may come with the next migration. */
const ASK_AGAIN_MS = 30_000;

/** Where the dashboard reads. It follows a Postgres that comes back elsewhere. */
export interface Source {
  /** Reads in one transaction, so that what is told belongs together. Throws what Postgres says, or that there is none. */
  read<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** URL of the database, with a password; null while nothing was found. */
  url(): string | null;
  /** Where workflows are looked at, where it is known. */
  temporal(): ReadDeps['temporal'];
  /** Looks where the servers are now, and what may be read there; cheap, to be called often. Throws as `read` does. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing says where Postgres is. */
class NowhereError extends Error {
  readonly code = 'ECONNREFUSED';
}

interface Place {
  /** As the stack connects to it. */
  owner: string;
  /** As the dashboard does. */
  url: string;
  askAgainAt: number;
  pool: ReturnType<typeof connect>;
}

/** `settings` are asked each time, since a stack that moves its Postgres writes them anew. */
export function openSource(home: string, settings: () => Settings): Source {
  let place: Place | null = null;
  let temporal: ReadDeps['temporal'] = null;
  let finding: Promise<void> | null = null;

  async function find(): Promise<void> {
    // A file that cannot be read is told of by who writes it; what was known goes on.
    const up = await readUpFile(home).catch(() => null);
    if (up) {
      const { uiUrl, namespace } = up.temporal;
      temporal = uiUrl === null ? null : { uiUrl, namespace };
    }
    const owner = settings().databaseUrl ?? up?.postgres.url ?? place?.owner;
    if (owner === undefined) throw new NowhereError('nothing says where it is; start the stack with `npx perpetua up`');
    if (place?.owner === owner && performance.now() < place.askAgainAt) return;
    await goTo(owner);
  }
  async function goTo(owner: string): Promise<void> {
    const { url, role } = await readerAddress(owner);
    const askAgainAt = role === 'reader' ? Infinity : performance.now() + ASK_AGAIN_MS;
    const old = place;
    const pool = old?.url === url ? old.pool : connect(patient(url), { max: CONNECTIONS, onError: () => undefined });
    place = { owner, url, askAgainAt, pool };
    if (old && old.pool !== pool) void old.pool.close().catch(() => undefined);
  }
  const refresh = (): Promise<void> => (finding ??= find().finally(() => (finding = null)));

  return {
    read: async (use) => {
      if (!place) await refresh();
      if (!place) throw new NowhereError('it was not found');
      return place.pool.db.transaction(use, { isolationLevel: 'repeatable read', accessMode: 'read only' });
    },
    url: () => place && patient(place.url),
    temporal: () => temporal,
    refresh,
    close: async () => {
      await finding?.catch(() => undefined);
      await place?.pool.close();
    },
  };
}

function patient(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set('query_timeout', String(FROZEN_MS));
  return changed.href;
}
