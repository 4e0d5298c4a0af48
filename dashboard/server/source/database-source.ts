import type { Settings } from '../../../config/dashboard/settings.ts';
import { connect, type Tx } from '../../../db/connect.ts';
import { READER_SETTINGS } from '../../../db/reader/role.ts';
import { prepareStatements } from './prepare-statements.ts';
import { rememberResults } from './remember-results.ts';

/** Connections for answers. With the hub's connections for polls and for notifications, the dashboard has four. */
const CONNECTIONS = 2;
/** Driver's timeout of a statement, for a frozen server. A server that works cancels the statement before that. */
const FROZEN_MS = 8000;

/** Source of the dashboard's data. If Postgres moves to another address, the source follows it. */
export interface DatabaseSource {
  /** Reads in one transaction, on a single snapshot. Throws errors of Postgres, and an error if no address is known. */
  read<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** Reads like `read`, on a connection for polls alone: slow answers must not make Postgres look away. */
  readForChanges<T>(use: (db: Tx) => Promise<T>): Promise<T>;
  /** URL of the database, with a password; null while the settings have none. */
  url(): string | null;
  /** Address and namespace of Temporal's Web UI; null if unknown. */
  temporal(): Settings['temporal'];
  /** Reads the settings and follows a changed address; cheap. Throws if no address is known. */
  refresh(): void;
  close(): Promise<void>;
}

/** Error for settings without an address of Postgres. */
class NowhereError extends Error {
  readonly code = 'ECONNREFUSED';
}

interface Connections {
  url: string;
  /** Pools for answers and for polls. */
  pools: Record<'answers' | 'polls', ReturnType<typeof connect>>;
}

/**
 * Opens the source. It reads `settings` again and again: the process that starts the dashboard rewrites them when
 * Postgres moves, or first has its tables.
 */
export function openDatabaseSource(settings: () => Settings): DatabaseSource {
  let connections: Connections | null = null;
  let temporal: Settings['temporal'] = null;

  function refresh(): Connections {
    const current = settings();
    temporal = current.temporal;
    const url = current.readUrl ?? connections?.url;
    if (url === undefined)
      throw new NowhereError('it has no known address, or no tables yet; `npx perpetua up` starts it');
    if (connections?.url === url) return connections;
    const old = connections;
    connections = { url, pools: openPools(url) };
    if (old) void closeAll(old.pools).catch(() => undefined);
    return connections;
  }
  const readFrom = <T>(pool: keyof Connections['pools'], use: (db: Tx) => Promise<T>): Promise<T> => {
    const { pools } = connections ?? refresh();
    return pools[pool].db.transaction(use, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  };

  return {
    read: async (use) => readFrom('answers', use),
    readForChanges: async (use) => readFrom('polls', use),
    url: () => connections && withQueryTimeout(connections.url),
    temporal: () => temporal,
    refresh,
    close: async () => {
      if (connections) await closeAll(connections.pools);
    },
  };
}

function openPools(url: string): Connections['pools'] {
  // The user of DATABASE_URL, unlike the reader's role, does not have these settings by default.
  const settings = READER_SETTINGS;
  const common = { onError: () => undefined, settings };
  const answers = connect(withQueryTimeout(url), { ...common, max: CONNECTIONS, pipeline: true });
  answers.pool.on('connect', (client) => {
    prepareStatements(client);
    rememberResults(client);
  });
  return { answers, polls: connect(withQueryTimeout(url), { ...common, max: 1 }) };
}

const closeAll = ({ answers, polls }: Connections['pools']) => Promise.all([answers.close(), polls.close()]);

function withQueryTimeout(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set('query_timeout', String(FROZEN_MS));
  return changed.href;
}
