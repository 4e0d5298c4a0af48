import type { Settings } from '../../../config/dashboard/settings.ts';
import { connect, type Tx } from '../../../db/connect.ts';

/** Of answers; with the one that looks for changes and the one that listens, four at most. */
const CONNECTIONS = 2;
/** Milliseconds after which the driver gives up a server that is frozen; one that answers ends its statements before. */
const FROZEN_MS = 8000;

/** Where the dashboard reads. It follows a Postgres that comes back elsewhere. */
export interface DatabaseSource {
  /** Reads in one transaction, so that what is told belongs together. Throws what Postgres says, or that there is none. */
  read<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** The same on a connection that no answer holds: answers that take long are no sign that Postgres is away. */
  readForChanges<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** URL of the database, with a password; null while nothing was told. */
  url(): string | null;
  /** Where workflows are looked at, where it is known. */
  temporal(): Settings['temporal'];
  /** Looks where it may read now; cheap, to be called often. Throws where nothing was told. */
  refresh(): void;
  close(): Promise<void>;
}

/** Nothing says where Postgres is read. */
class NowhereError extends Error {
  readonly code = 'ECONNREFUSED';
}

interface Place {
  url: string;
  /** For answers, and for looks. */
  pools: Record<'read' | 'look', ReturnType<typeof connect>>;
}

/** `settings` are asked each time: who starts the dashboard writes them anew where Postgres moves, or first has its tables. */
export function openDatabaseSource(settings: () => Settings): DatabaseSource {
  let place: Place | null = null;
  let temporal: Settings['temporal'] = null;

  function refresh(): Place {
    const told = settings();
    temporal = told.temporal;
    const url = told.readUrl ?? place?.url;
    if (url === undefined)
      throw new NowhereError('nothing says yet where it is, or it has no tables yet; `npx perpetua up` starts it');
    if (place?.url === url) return place;
    const old = place;
    place = { url, pools: poolsOf(url) };
    if (old) void closeAll(old.pools).catch(() => undefined);
    return place;
  }
  const readBy = <T>(by: keyof Place['pools'], use: (db: Tx) => Promise<T>): Promise<T> => {
    const { pools } = place ?? refresh();
    return pools[by].db.transaction(use, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  };

  return {
    read: async (use) => readBy('read', use),
    readForChanges: async (use) => readBy('look', use),
    url: () => place && patient(place.url),
    temporal: () => temporal,
    refresh,
    close: async () => {
      if (place) await closeAll(place.pools);
    },
  };
}

function poolsOf(url: string): Place['pools'] {
  const pool = (max: number) => connect(patient(url), { max, onError: () => undefined });
  return { read: pool(CONNECTIONS), look: pool(1) };
}

const closeAll = ({ read, look }: Place['pools']) => Promise.all([read.close(), look.close()]);

function patient(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set('query_timeout', String(FROZEN_MS));
  return changed.href;
}
