import pg from 'pg';
import { KEEP_ALIVE } from './keep-alive.ts';

const RETRY_MS = 1000;

/** Hears NOTIFY on one channel, and connects again where the connection breaks; every listener also has a slow poll as its net. */
export function listen(url: string, channel: string, heard: (payload: string) => void): { close: () => Promise<void> } {
  /** The one that connects or listens: there is never another. */
  let client: pg.Client | undefined;
  let opening = Promise.resolve();
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  const lost = (gone: pg.Client): void => {
    if (gone !== client) return;
    client = undefined;
    void gone.end().catch(() => undefined);
    if (!closed) retry = setTimeout(() => void connect(), RETRY_MS);
  };
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, ...KEEP_ALIVE, connectionTimeoutMillis: 5000 });
    client = next;
    next.on('error', () => lost(next));
    next.on('end', () => lost(next));
    next.on('notification', (message) => heard(message.payload ?? ''));
    try {
      opening = next.connect().then(() => undefined);
      await opening;
      if (closed) return;
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      heard('');
    } catch {
      // Not reachable now; the slow poll goes on meanwhile.
      lost(next);
    }
  };
  void connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      // One that is still connecting cannot say goodbye; it gives up by itself after its timeout.
      await opening.catch(() => undefined);
      await client?.end();
    },
  };
}
