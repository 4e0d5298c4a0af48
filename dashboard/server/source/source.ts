import type { Settings } from '../../../config/dashboard/settings.ts';
import { readUpFile } from '../../../config/up-file.ts';
import { connect, type Tx } from '../../../db/connect.ts';
import { readerAddress } from '../../../db/reader/reader-address.ts';
import type { ReadDeps } from '../route.ts';

/** Of answers; with the one that looks for changes and the one that listens, four at most. */
const CONNECTIONS = 2;
/** Milliseconds after which the driver gives up a server that is frozen; one that answers ends its statements before. */
const FROZEN_MS = 8000;
/** A role that is not there yet may come with the next migration. */
const ASK_AGAIN_MS = 30_000;

/** Where the dashboard reads. It follows a Postgres that comes back elsewhere. */
export interface Source {
  /** Reads in one transaction, so that what is told belongs together. Throws what Postgres says, or that there is none. */
  read<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** The same on a connection that no answer holds: answers that take long are no sign that Postgres is away. */
  look<T>(use: (db: Tx) => Promise<T>): Promise<T>;
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
  /** For answers, and for looks. */
  pools: Record<'read' | 'look', ReturnType<typeof connect>>;
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
    const pools = old?.url === url ? old.pools : poolsOf(url);
    place = { owner, url, askAgainAt, pools };
    if (old && old.pools !== pools) void closeAll(old.pools).catch(() => undefined);
  }
  const refresh = (): Promise<void> => (finding ??= find().finally(() => (finding = null)));

  async function readBy<T>(by: keyof Place['pools'], use: (db: Tx) => Promise<T>): Promise<T> {
    if (!place) await refresh();
    if (!place) throw new NowhereError('it was not found');
    return place.pools[by].db.transaction(use, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  }

  return {
    read: (use) => readBy('read', use),
    look: (use) => readBy('look', use),
    url: () => place && patient(place.url),
    temporal: () => temporal,
    refresh,
    close: async () => {
      await finding?.catch(() => undefined);
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
