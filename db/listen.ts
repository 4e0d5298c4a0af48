import pg from 'pg';
import { connectionOptions } from './session/settings.ts';

const RETRY_MS = 1000;

/**
 * Listens for NOTIFY on one channel, and reconnects after a failure. `onPayload` also runs after each connect, with '',
 * because messages may have been missed. Every listener also polls slowly.
 */
export function listen(
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
): { close: () => Promise<void> } {
  /** The only client: it connects or listens. */
  let client: pg.Client | undefined;
  let opening = Promise.resolve();
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  const reconnect = (failed: pg.Client): void => {
    if (failed !== client) return;
    client = undefined;
    void failed.end().catch(() => undefined);
    if (!closed) retry = setTimeout(() => void connect(), RETRY_MS);
  };
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...connectionOptions(url), connectionTimeoutMillis: 5000 });
    client = next;
    next.on('error', () => reconnect(next));
    next.on('end', () => reconnect(next));
    next.on('notification', (message) => onPayload(message.payload ?? ''));
    try {
      opening = next.connect().then(() => undefined);
      await opening;
      if (closed) return;
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      onPayload('');
    } catch {
      // Not reachable now; the slow poll continues.
      reconnect(next);
    }
  };
  void connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      // A client that is still connecting cannot be closed; it ends by itself after its timeout.
      await opening.catch(() => undefined);
      await client?.end();
    },
  };
}
